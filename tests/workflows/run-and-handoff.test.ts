import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from '../harness/mcp-client.ts';
import { Redis } from 'ioredis';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;
let redis: Redis;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  redis = new Redis(fixture.baton.redisUrl);
  const [client] = fixture.clients;
  for (const title of ['Dig', 'Plant'])
    await callTool(client, 'add_task', { title, description: `${title}.` });
});
afterAll(async () => {
  await redis?.quit();
  await fixture?.stop();
});

const next = { name: 'find', tool: 'next_task' };
const start = {
  name: 'start',
  tool: 'set_task_status',
  arguments: { id: '{{steps.find.task.id}}', status: 'in-progress' },
  guidance: 'One at a time.',
};

const statusOf = async (id: number) => (await callTool(fixture.clients[1], 'get_task', { id })).task.status;

test('a workflow runs to its end as its caller, and its task is completed with the results [workflow-trace, workflow-auto-complete, workflow-lean-meta, workflow-json-types]', async () => {
  await fixture.put('begin', [next, start]);
  const run = await fixture.run('begin');
  expect(run.texts.map((text) => text.split('\n')[0])).toEqual([
    'user: I want to do begin',
    "assistant: Here's my plan:",
    "assistant: Calling tool 'next_task' with parameters:",
    'user: Result:',
    'assistant: One at a time.',
    "assistant: Calling tool 'set_task_status' with parameters:",
    'user: Result:',
    'assistant: All 2 steps are done; nothing is left to do.',
  ]);
  expect(run).toMatchObject({ status: 'completed', others: {} });
  expect(await statusOf(1)).toBe('in-progress');
  const task = await callTool(fixture.clients[1], 'task_status', { taskId: run.taskId });
  expect(task).toMatchObject({
    status: 'completed',
    operation: 'workflow',
    result: { completed: true, stepsCompleted: 2, results: { find: { task: { id: 1 } } } },
  });
  await callTool(fixture.clients[0], 'set_task_status', { id: '1', status: 'pending' });
});

test('a step whose tool fails stops the run: the task stays working, and the last message hands off [workflow-assistant-handoff, workflow-stays-working, workflow-retryable, workflow-placeholders, workflow-task-id-in-meta]', async () => {
  await fixture.put('fail', [{ name: 'show', tool: 'get_task', arguments: { id: 77 } }, start_of('show')]);
  const run = await fixture.run('fail');
  expect(run.status).toBe('working');
  expect(run.last).toMatch(/^assistant: Step 1 \('show'\) failed: .*77/);
  expect(run.last).toContain('1. Call get_task with {"id":77} (failed; not retryable as it is)');
  expect(run.last).toContain(
    `2. Call set_task_status with {"id":"<field 'task.id' from show>","status":"done"}`,
  );
  expect(run.texts.join('\n')).not.toContain(run.taskId);
  expect(run.others).toEqual({});
  expect(await callTool(fixture.clients[1], 'task_status', { taskId: run.taskId })).toMatchObject({
    status: 'working',
  });
});

const start_of = (step: string) => ({
  name: 'finish',
  tool: 'set_task_status',
  arguments: { id: `{{steps.${step}.task.id}}`, status: 'done' },
});

test('a field that an output lacks, and a required argument that nobody gave, stop the run before the call [workflow-stops]', async () => {
  await fixture.put('lacks', [
    next,
    { ...start, arguments: { id: '{{steps.find.task.number}}', status: 'done' } },
  ]);
  expect((await fixture.run('lacks')).last).toContain("needs the field 'task.number' of step 'find'");
  await fixture.put('misses', [{ name: 'finish', tool: 'set_task_status', arguments: { status: 'done' } }]);
  const { last } = await fixture.run('misses');
  expect(last).toMatch(/was not called, since its arguments do not fit set_task_status: id: /);
  expect(await statusOf(1)).toBe('pending');
});

test('a step that delegates hands off the agent_llm call, and its answer is taken on the other replica', async () => {
  await fixture.put('split', [
    next,
    { name: 'expand', tool: 'expand_task', arguments: { id: '{{steps.find.task.id}}', num: 1 } },
  ]);
  const run = await fixture.run('split');
  expect(run.last).toContain("Step 2 ('expand') waits for an LLM call that you make.");
  const interactionId = /Call agent_llm with \{"interactionId":"([^"]+)"/.exec(run.last)?.[1];
  const subtask = {
    id: 1,
    title: 'Spade',
    description: 'Find it.',
    dependencies: [],
    details: 'x',
    status: 'pending',
  };
  const answered = await callTool(fixture.clients[1], 'agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'success', data: { object: { subtasks: [subtask] } } },
  });
  expect(answered.outcome.status).toBe('completed');
});

test('resources stand in the trace; one that cannot be read stops the run', async () => {
  const steps = (project: string) => [
    { name: 'look', resources: [`baton://projects/{{args.project}}/status`] },
    { ...next, arguments: { projectRoot: project } },
  ];
  await fixture.put('look', steps('default'), { arguments: [{ name: 'project', required: true }] });
  const seen = await fixture.run('look', { project: 'default' });
  expect(seen.texts).toContain('user: [baton://projects/default/status]');
  expect(seen.status).toBe('completed');
  const unseen = await fixture.run('look', { project: 'a/b' });
  expect(unseen.last).toMatch(
    /was not begun, since the resource baton:\/\/projects\/a%2Fb\/status cannot be read/,
  );
});

test('a repeat with the same idempotency key gives the same run, on any replica', async () => {
  await fixture.put('add', [
    { name: 'add', tool: 'add_task', arguments: { title: 'Once', description: 'Once.' } },
  ]);
  const count = async () => (await callTool(fixture.clients[0], 'get_tasks', {})).tasks.length;
  const before = await count();
  const first = await fixture.run('add', {}, { idempotencyKey: 'k1' });
  const second = await fixture.run('add', {}, { idempotencyKey: 'k1', at: 1 });
  expect(second).toEqual(first);
  expect(await count()).toBe(before + 1);
});

const addThenFail = (title: string) => [
  next,
  { name: 'add', tool: 'add_task', arguments: { title, description: 'x' } },
  { name: 'prioritise', tool: 'move_task', arguments: { from: '77', to: '78' } },
];
const countTasks = async () => (await callTool(fixture.clients[0], 'get_tasks', {})).tasks.length;

test('a run whose gateway died during a step is finished by another, and what the step changed is changed once', async () => {
  await fixture.put('die', addThenFail('Never twice'));
  const first = await fixture.run('die', {}, { idempotencyKey: 'k2' });
  const before = await countTasks();
  // What such a gateway leaves: the outcomes up to the step that it was calling.
  const { keys } = fixture.baton.store.tenant('acme');
  expect(await redis.hdel(keys.task(first.taskId), 'p:s1', 'p:s2', 'p:stop')).toBe(3);
  const second = await fixture.run('die', {}, { idempotencyKey: 'k2', at: 1 });
  expect(second).toMatchObject({ taskId: first.taskId, status: 'working', last: first.last });
  expect(await countTasks()).toBe(before);
});

test('repeats on two replicas at once run each step once, and tell the same', async () => {
  await fixture.put('race', addThenFail('Once of many'));
  const before = await countTasks();
  const runs = await Promise.all(
    Array.from({ length: 6 }, (_, n) => fixture.run('race', {}, { idempotencyKey: 'k4', at: n % 2 })),
  );
  expect(new Set(runs.map(({ taskId }) => taskId)).size).toBe(1);
  expect(new Set(runs.map(({ texts }) => texts.join())).size).toBe(1);
  expect(await countTasks()).toBe(before + 1);
});

test('a repeat for a task that was cancelled during a step calls nothing, and says that the step may have run', async () => {
  await fixture.put('cancelled', addThenFail('Not again'));
  const first = await fixture.run('cancelled', {}, { idempotencyKey: 'k5' });
  await callTool(fixture.clients[0], 'cancel_task', { taskId: first.taskId });
  const { keys } = fixture.baton.store.tenant('acme');
  expect(await redis.hdel(keys.task(first.taskId), 'p:s1', 'p:s2', 'p:stop')).toBe(3);
  const before = await countTasks();
  const second = await fixture.run('cancelled', {}, { idempotencyKey: 'k5', at: 1 });
  expect(second.status).toBe('cancelled');
  expect(second.last).toContain("The run was cut off while step 2 ('add') was being called");
  expect(await countTasks()).toBe(before);
});

test('a task keeps the version that it began with, whatever becomes of its workflow', async () => {
  await fixture.put('keep', [{ name: 'show', tool: 'get_task', arguments: { id: 77 } }]);
  const before = await fixture.run('keep', {}, { idempotencyKey: 'k3' });
  await fixture.put('keep', [next]);
  expect((await fixture.run('keep', {}, { idempotencyKey: 'k3', at: 1 })).texts).toEqual(before.texts);
  expect((await fixture.run('keep')).status).toBe('completed');
});

test.each<[string, Record<string, string>, RegExp]>([
  ['an unknown prompt', {}, /no prompt 'nobody'/],
  ['a required argument that is missing', {}, /arguments\.project: is required/],
  ['a required argument that is blank', { project: '' }, /arguments\.project: is required/],
  ['an unknown argument', { project: 'x', zone: 'y' }, /arguments\.zone: the prompt has no such argument/],
])('%s is refused with -32602', async (claim, args, message) => {
  await fixture.put('needs', [next], { arguments: [{ name: 'project', required: true }] });
  const name = claim === 'an unknown prompt' ? 'nobody' : 'needs';
  await expect(fixture.run(name, args)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringMatching(message),
  });
});

test.each([
  ['step', { tool: 'pending_interactions' }, '(failed; retryable)'],
  ['resource', { resources: ['baton://projects'] }, 'Read the resource baton://projects'],
])('each %s counts against the rate as a call of its own', async (kind, does, left) => {
  const tenant = `slow-${kind}`;
  const key = await fixture.baton.addTenant(tenant, { requestsPerSecond: 1, burst: 6 });
  const steps = Array.from({ length: 20 }, (_, n) => ({
    name: `s${n}`,
    retryable: false,
    resources: [],
    ...does,
  }));
  const { workflows } = fixture.baton.store.tenant(tenant);
  await workflows.put({ principal: 'p', scopes: new Set() }, 'many', {
    definition: { name: 'many', description: 'd', arguments: [], steps },
  });
  const response = await fetch(`${fixture.baton.url()}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'many' } }),
  });
  const text = await response.text();
  expect(text).toMatch(/(failed|cannot be read): .*requestsPerSecond/);
  expect(text).toContain(left);
});
