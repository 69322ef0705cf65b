import assert from 'node:assert/strict';
import { callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { RetryingClient } from '../faults/clients/retrying-client.ts';
import { taskListAnswer } from './delegation.ts';
import { addTenant } from './add-tenant.ts';
import { inspectContainer, type ComposeStack } from './compose-stack.ts';
import { findFreePorts } from '../harness/free-ports.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { runCommand } from './run-command.ts';

/** Refusals of every status pass Caddy with the replica's header. */
export async function checkReplicaHeader(stack: ComposeStack): Promise<string> {
  const slow = await addTenant(stack, 'slow', { requestsPerSecond: 1, burst: 1 });
  const key = await addTenant(stack, 'wide');
  const seen = new Set<number>();
  const ask = async (path: string, headers: Record<string, string>, body?: string) => {
    const response = await fetch(`${stack.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    await response.text();
    assert.match(response.headers.get('x-baton-replica') ?? '', /^[0-9a-f]{12}$/, `on ${response.status}`);
    seen.add(response.status);
  };
  const as = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const begin = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_tasks', arguments: {} },
  });
  await ask('/mcp', {}, list);
  await ask('/mcp', as(key), list);
  await ask('/mcp', as(key), '{');
  await ask('/mcp', as(key), JSON.stringify({ text: 'x'.repeat(3_000_000) }));
  await ask('/v1/tenants', as(key));
  await ask('/nothing', {});
  for (let n = 0; n < 4; n++) await ask('/mcp', as(slow), begin);
  for (const status of [200, 400, 401, 403, 404, 413, 429])
    assert.ok(seen.has(status), `no response had status ${status}`);
  return [...seen].toSorted((a, b) => a - b).join(', ');
}

/** Without BATON_PUBLIC_URL the address in replies has the port that is published, BATON_PORT. */
export async function checkPublicAddress(stack: ComposeStack): Promise<string> {
  const page = await (await fetch(`${stack.url}/`, { headers: { accept: 'application/json' } })).text();
  assert.ok(page.includes(`${stack.url}/mcp`), page);
  return stack.url;
}

/** Calls parked through one gateway are answered through the other; Caddy distributes requests evenly. */
export async function checkAnswerOnOtherGateway(stack: ComposeStack, apiKey: string): Promise<string> {
  const replicas: string[] = [];
  const client = await connectMcpClient(stack.url, apiKey, async (url, init) => {
    const response = await fetch(url, init);
    replicas.push(response.headers.get('x-baton-replica') ?? '');
    return response;
  });
  const routes = new Map<string, number>();
  for (let n = 0; n < 12; n++) {
    const parked = await callTool(client, 'parse_prd', { prd: 'A shop.', projectRoot: `shared-${n}` });
    const parkedBy = replicas.at(-1);
    // An extra request, so that either gateway parks in turn.
    if (n % 2 === 1) await callTool(client, 'task_status', { taskId: parked.taskId });
    const agentLLMResponse = successAnswer(taskListAnswer(['Basket', 'Checkout']));
    const { outcome } = await callTool(client, 'agent_llm', {
      interactionId: parked.interactionId,
      agentLLMResponse,
    });
    assert.equal(outcome.status, 'completed');
    assert.equal(outcome.result.tasksAdded, 2);
    const route = parkedBy === replicas.at(-1) ? 'the same' : `${parkedBy} → ${replicas.at(-1)}`;
    routes.set(route, (routes.get(route) ?? 0) + 1);
  }
  await client.close();
  const elsewhere = [...routes].filter(([route]) => route !== 'the same');
  assert.equal(new Set(replicas).size, 2, 'exactly both gateways answer');
  assert.equal(elsewhere.length, 2, `in both directions: ${[...routes.keys()].join('; ')}`);
  const count = replicas.filter((replica) => replica === replicas[0]).length;
  assert.ok(
    Math.abs(count / replicas.length - 0.5) < 0.2,
    `${count} of ${replicas.length} went to one gateway`,
  );
  const across = elsewhere.reduce((sum, [, each]) => sum + each, 0);
  return `${across} of 12 were answered on the other, ${count} of ${replicas.length} requests went to the first`;
}

/** Caddy finds a third gateway without a restart, and removing it fails no call. */
export async function checkThirdGateway(stack: ComposeStack, apiKey: string): Promise<string> {
  const front = await stack.onlyContainer('caddy');
  const since = await inspectContainer(front, '{{.State.StartedAt}}');
  const client = new RetryingClient([stack.url], apiKey);
  const meet = async () => {
    for (let n = 0; n < 12; n++) await client.call('get_tasks', { projectRoot: 'shared-0' });
    return new Set(client.replicas.slice(-12)).size;
  };
  assert.equal(await meet(), 2);
  await stack.scale('gateway', 3);
  await stack.waitUntilHealthy('gateway');
  const begun = performance.now();
  await waitUntilOrThrow('a third gateway answers', 60_000, async () => (await meet()) === 3);
  const found = performance.now() - begun;
  await stack.scale('gateway', 2);
  await waitUntilOrThrow('two gateways answer', 60_000, async () => (await meet()) === 2);
  assert.equal(await inspectContainer(front, '{{.State.StartedAt}}'), since, 'Caddy was not restarted');
  return `found within ${Math.ceil(found)} ms, ${client.repeatsText}`;
}

/** Replies with the X-Forwarded-For and X-Forwarded-Proto of its request. */
const SHOW_FORWARDED = `require('http').createServer(({ headers: h }, reply) =>
  reply.end(h['x-forwarded-for'] + '|' + h['x-forwarded-proto'])).listen(8080)`;

/** Caddy by itself, in front of what shows its headers: of a trusted proxy a gateway is told the address that this one vouches for. */
export async function checkTrustedProxy(): Promise<string> {
  const name = `baton-e2e-proxies-${process.pid}`;
  const docker = (...args: string[]) => runCommand(['docker', ...args]);
  const start = (...args: string[]) => docker('run', '-d', '--rm', '--network', name, ...args);
  const file = new URL('../../infra/docker/Caddyfile', import.meta.url).pathname;
  const caddy = process.env['BATON_CADDY_IMAGE'] ?? 'caddy:2';
  const shown: string[] = [];
  const started: string[] = [];
  await docker('network', 'create', name);
  try {
    const shows = ['--entrypoint', 'node', 'baton-gateway:e2e', '-e', SHOW_FORWARDED];
    started.push(await start('--network-alias', 'gateway', ...shows));
    for (const trusted of ['', 'private_ranges']) {
      const [port] = await findFreePorts(1);
      const settings = ['-e', `BATON_CADDY_TRUSTED_PROXIES=${trusted}`, '-p', `127.0.0.1:${port}:8080`];
      started.push(await start(...settings, '-v', `${file}:/etc/caddy/Caddyfile:ro`, caddy));
      const headers = { 'x-forwarded-for': '192.0.2.6, 198.51.100.7', 'x-forwarded-proto': 'https' };
      const ask = () => fetch(`http://127.0.0.1:${port}/`, { headers }).catch(() => undefined);
      await waitUntilOrThrow('Caddy answers', 30_000, async () => (await ask())?.ok === true);
      shown.push((await (await ask())?.text()) ?? '');
    }
  } finally {
    for (const id of started) await docker('kill', id);
    await docker('network', 'rm', name);
  }
  assert.match(shown[0] ?? '', /^(?!198\.|192\.0)[0-9.]+\|http$/, 'nobody is trusted by default');
  assert.equal(shown[1], '192.0.2.6, 198.51.100.7|https');
  return shown.join(', then ');
}
