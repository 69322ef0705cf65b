import assert from 'node:assert/strict';
import { callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { RetryingClient } from '../faults/clients/retrying-client.ts';
import { taskListAnswer } from './delegation.ts';
import { addTenant } from './add-tenant.ts';
import { inspectContainer, type ComposeStack } from './compose-stack.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';

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
