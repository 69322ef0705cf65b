import assert from 'node:assert/strict';
import type { ComposeStack, Service } from './compose-stack.ts';
import { inspectContainer } from './compose-stack.ts';
import { runCommand } from './run-command.ts';

const SERVICES: readonly Service[] = ['redis', 'gateway', 'worker', 'caddy'];

/** No container has a capability or a writable file system that it does not need. */
export async function checkConfinement(stack: ComposeStack): Promise<string> {
  for (const service of SERVICES) {
    const [id = ''] = await stack.containers(service);
    const host = JSON.parse(await inspectContainer(id, '{{json .HostConfig}}')) as HostConfig;
    assert.deepEqual(host.CapDrop, ['ALL'], `${service} drops all capabilities`);
    assert.deepEqual(host.CapAdd ?? [], service === 'caddy' ? ['NET_BIND_SERVICE'] : [], service);
    assert.ok(host.ReadonlyRootfs, `${service} has a read-only file system`);
    assert.deepEqual(host.SecurityOpt, ['no-new-privileges:true'], service);
    if (service !== 'caddy')
      assert.notEqual(await runCommand(['docker', 'exec', id, 'id', '-u']), '0', `${service} runs as root`);
  }
  return SERVICES.join(', ');
}

/** Redis takes no command without the password, which no list of processes shows. */
export async function checkRedisPassword(stack: ComposeStack): Promise<string> {
  const id = await stack.onlyContainer('redis');
  const ping = (...options: string[]) => runCommand(['docker', 'exec', ...options, id, 'redis-cli', 'ping']);
  assert.match(await ping('--env', 'REDISCLI_AUTH='), /NOAUTH/);
  assert.equal(await ping(), 'PONG');
  const { Args } = JSON.parse(await inspectContainer(id, '{{json .}}')) as { Args: string[] };
  assert.ok(!Args.join(' ').includes(stack.redisPassword), 'the password is an argument');
  return 'NOAUTH without it';
}

/** The front listens on the loopback interface unless BATON_BIND says otherwise. */
export async function checkFrontAddress(stack: ComposeStack): Promise<string> {
  const id = await stack.onlyContainer('caddy');
  const bindings = JSON.parse(
    await inspectContainer(id, '{{json .HostConfig.PortBindings}}'),
  ) as PortBindings;
  const addresses = Object.values(bindings).flatMap((all) => all.map(({ HostIp }) => HostIp));
  assert.deepEqual(addresses, ['127.0.0.1']);
  return addresses.join(', ');
}

interface HostConfig {
  readonly CapDrop: string[] | null;
  readonly CapAdd: string[] | null;
  readonly ReadonlyRootfs: boolean;
  readonly SecurityOpt: string[];
}

type PortBindings = Record<string, { readonly HostIp: string }[]>;
