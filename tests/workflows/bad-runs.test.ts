import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, postJsonRpc } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;
let redis: Redis;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  redis = new Redis(fixture.baton.redisUrl);
  const [client] = fixture.clients;
  await callTool(client, 'add_task', { title: 'Dig', description: 'Dig.', details: 'd'.repeat(90_000) });
  const subtasks = Array.from({ length: 10 }, (_, n) => ({
    id: n + 1,
    title: `Part ${n}`,
    details: 'y'.repeat(95_000),
  }));
  const task = { id: 1, title: 'All', description: 'All of it.', subtasks };
  await fixture.rest('PUT', '/projects/large', { master: { tasks: [task] } });
});
afterAll(async () => {
  redis?.disconnect();
  await fixture?.stop();
});

const rpc = async (params: object, at = 0) =>
  (
    await postJsonRpc(
      fixture.baton.url(at),
      fixture.key,
      { jsonrpc: '2.0', id: 1, method: 'prompts/get', params },
      { accept: 'application/json, text/event-stream' },
    )
  ).body;

test.each<[string, object]>([
  ['no name', {}],
  ['a name that is a number', { name: 7 }],
  ['arguments that are a list', { name: 'plain', arguments: ['x'] }],
  ['an argument that is an object', { name: 'plain', arguments: { tag: { a: 'b' } } }],
  ['an argument that nobody has', { name: 'plain', arguments: { constructor: 'x' } }],
])('a prompt with %s is refused with -32602, and no task is opened', async (_claim, params) => {
  await fixture.put('plain', [{ name: 'see', tool: 'next_task' }], { arguments: [{ name: 'tag' }] });
  const before = await redis.zcard(fixture.baton.store.tenant('acme').keys.tasks);
  expect((await rpc(params)).error.code).toBe(-32602);
  expect(await redis.zcard(fixture.baton.store.tenant('acme').keys.tasks)).toBe(before);
});

test('an argument that a binding fills with another type is refused by the tool, in its place', async () => {
  await fixture.put('types', [
    { name: 'find', tool: 'next_task' },
    { name: 'add', tool: 'add_task', arguments: { title: '{{steps.find.task}}', description: 'd' } },
  ]);
  const { last, status } = await fixture.run('types');
  expect(status).toBe('working');
  expect(last).toMatch(
    /Step 2 \('add'\) was not called, since its arguments do not fit add_task: title: .*string/,
  );
});

test('arguments that templates would make endless stop the run before the call, and the handoff stays bounded', async () => {
  const many = Array.from({ length: 8 }, () => '{{steps.show.task.details}}').join(' ');
  await fixture.put('endless', [
    { name: 'show', tool: 'get_task', arguments: { id: 1 } },
    ...Array.from({ length: 90 }, (_, n) => ({
      name: `add${n}`,
      tool: 'add_task',
      arguments: { title: 't', description: 'd', details: n === 0 ? many : '{{steps.show.task.details}}' },
    })),
  ]);
  const run = await fixture.run('endless');
  expect(run.last).toContain("Step 2 ('add0') was not called");
  expect(run.last).toContain('the arguments would be longer than 262144 characters');
  expect(run.last.match(/^\d+\. Call add_task/gm)).toHaveLength(90);
  expect(run.texts.join('').length).toBeLessThan(1_000_000);
});

test('a result of a megabyte is told by its length, and the steps that need it are handed off', async () => {
  await fixture.put('large', [
    { name: 'all', tool: 'get_task', arguments: { projectRoot: 'large', id: 1 } },
    { name: 'see', tool: 'list_tags', arguments: { projectRoot: 'large' } },
    { name: 'use', tool: 'get_task', arguments: { projectRoot: 'large', id: '{{steps.all.task.id}}' } },
  ]);
  const all = await callTool(fixture.clients[0], 'get_task', { projectRoot: 'large', id: 1 });
  const { length } = JSON.stringify(all);
  expect(length).toBeGreaterThan(950_000);
  const run = await fixture.run('large');
  expect(run.texts.join('\n')).toContain(`Result: ${length} characters of JSON, more than a workflow keeps.`);
  expect(run.last).toContain("'id' needs the output of step 'all'");
  expect(run.status).toBe('working');
});

test('a definition that is changed or deleted between leaves its tasks as they are, and later runs tell it', async () => {
  await fixture.put('gone', [{ name: 'show', tool: 'get_task', arguments: { id: 77 } }]);
  const first = await fixture.run('gone', {}, { idempotencyKey: 'gone-1' });
  await fixture.put('gone', [{ name: 'see', tool: 'next_task' }]);
  expect(await fixture.run('gone', {}, { idempotencyKey: 'gone-1', at: 1 })).toEqual(first);
  await fixture.put('gone', [{ name: 'see', tool: 'next_task' }], {
    arguments: [{ name: 'a', required: true }],
  });
  expect(await fixture.run('gone', {}, { idempotencyKey: 'gone-1' })).toEqual(first);
  await fixture.rest('DELETE', '/workflows/gone');
  expect(await fixture.run('gone', {}, { idempotencyKey: 'gone-1', at: 1 })).toEqual(first);
  await expect(fixture.run('gone', {}, { idempotencyKey: 'gone-2' })).rejects.toMatchObject({ code: -32602 });
  const status = await callTool(fixture.clients[1], 'task_status', { taskId: first.taskId });
  expect(status.status).toBe('working');
  const { continuation } = await fixture.continue(first.taskId, 'get_task', { id: 1 }, { at: 1 });
  expect(continuation).toEqual({ recorded: true, step: 'show', remaining: 0 });
  await expect(fixture.run('gone', {}, { at: 1 })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("no prompt 'gone'"),
  });
});

test('what a run stores counts against storedBytes: over the budget the run stops with limit_storage, and a repeat goes on once there is room', async () => {
  const key = await fixture.baton.addTenant('small', { requestsPerSecond: 10_000, burst: 10_000 });
  const admin = await fixture.baton.createKey({ scopes: ['admin', 'mcp'] }, 'small');
  const used = async (): Promise<AnyJson> => {
    const response = await fetch(`${fixture.baton.url()}/v1/tenants/small`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    return ((await response.json()) as AnyJson).usage.storedBytes;
  };
  const limit = (storedBytes: number) =>
    fetch(`${fixture.baton.url()}/v1/tenants/small`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ limits: { storedBytes } }),
    });
  const steps = Array.from({ length: 10 }, (_, n) => ({ name: `s${n}`, tool: 'next_task' }));
  const definition = { name: 'many', description: 'd', steps };
  expect((await fixture.rest('PUT', '/workflows/many', definition, { key: admin })).status).toBe(200);
  const post = (body: object) =>
    postJsonRpc(
      fixture.baton.url(),
      key,
      { jsonrpc: '2.0', id: 1, ...body },
      { accept: 'application/json, text/event-stream' },
    );
  await post({
    method: 'tools/call',
    params: { name: 'add_task', arguments: { title: 't', description: 'x'.repeat(5_000) } },
  });
  const run = (more: object = {}) => post({ method: 'prompts/get', params: { name: 'many', ...more } });
  // Hardly anything of the tenant has ended: the sweep could take what is large from such tasks at any time, and so make room.
  const before = await used();
  // A task that was accepted may take a quarter more than the limit.
  await limit(before + 6_000);
  const _meta = { 'baton/idempotencyKey': 'k' };
  const refused = (await run({ _meta })).body;
  expect(refused.error?.data).toMatchObject({ code: 'limit_storage', limit: 'storedBytes' });
  await limit((await used()) + 100_000);
  const repeated = (await run({ _meta })).body.result;
  expect(repeated._meta.task_status).toBe('completed');
  expect((await used()) - before).toBeGreaterThan(10 * 5_000);
});
