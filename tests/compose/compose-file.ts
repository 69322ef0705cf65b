import { parse } from 'yaml';

interface ComposeService {
  readonly image?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
}

/** The capabilities that a service keeps: Caddy's binary is marked with one, and does not start without. */
const KEPT: Readonly<Record<string, readonly string[]>> = { caddy: ['NET_BIND_SERVICE'] };

/** A default that compose itself reads within another one: 1.29 takes it as text. `$$` is for a shell in the container. */
const NESTED_DEFAULT = /\$\{[^{}]*\$\{?\w+/g;

/** The defaults within defaults of a compose file, as far as the second one begins. */
export function findNestedDefaults(text: string): string[] {
  return text.replaceAll('$$', '').match(NESTED_DEFAULT) ?? [];
}

/** The script that a service's shell runs in place of what its image would. Errors: when it has none. */
export function entrypointScript(text: string, service: string): string {
  const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  const [shell, option, script = ''] = services[service]?.entrypoint ?? [];
  if (shell !== 'sh' || option !== '-c') throw new Error(`${service} is started without a shell`);
  return script.replaceAll('$$', '$');
}

/** What in a compose file leaves a container more than it needs, or opens it to the network; a sentence each. */
export function findComposeWeaknesses(text: string): string[] {
  const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  const found = Object.entries(services).flatMap(([name, service]) => [
    ...(service.read_only === true ? [] : [`${name} may write its file system`]),
    ...(service.cap_drop?.includes('ALL') ? [] : [`${name} has capabilities`]),
    ...(service.cap_add ?? [])
      .filter((kept) => !KEPT[name]?.includes(kept))
      .map((kept) => `${name} has ${kept}`),
    ...(service.security_opt?.includes('no-new-privileges:true') ? [] : [`${name} may gain privileges`]),
    ...(service.ports ?? [])
      .filter((port) => !port.startsWith(name === 'caddy' ? '${BATON_BIND:-127.0.0.1}:' : '127.0.0.1:'))
      .map((port) => `${name} is open at ${port}`),
    ...(service.image === undefined ||
    service.image.startsWith('${BATON_') ||
    service.image.startsWith('baton-')
      ? []
      : [`the image of ${name} cannot be pinned`]),
  ]);
  const { redis, gateway, worker } = services;
  if (!String(redis?.command).includes('requirepass')) found.push('Redis takes commands without a password');
  for (const [name, service] of Object.entries({ gateway, worker }))
    if (!service?.environment?.['REDIS_URL']?.includes('BATON_REDIS_PASSWORD:?'))
      found.push(`${name} starts without a password of Redis`);
  return found;
}
