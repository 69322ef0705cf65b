import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, callToolForError, successAnswer } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;
let redis: Redis;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  redis = new Redis(fixture.baton.redisUrl);
  for (const title of ['Dig', 'Plant'])
    await callTool(fixture.clients[0], 'add_task', { title, description: `${title}.` });
});
afterAll(async () => {
  await redis?.quit();
  await fixture?.stop();
});

const add = (title: string, project: string) => ({
  name: 'add',
  tool: 'add_task',
  arguments: { projectRoot: project, title, description: 'x' },
});
const resume = (taskId: string, at = 0): Promise<AnyJson> =>
  callTool(fixture.clients[at]!, 'resume_workflow', { taskId });
const countTasks = async (projectRoot: string) =>
  (await callTool(fixture.clients[0], 'get_tasks', { projectRoot })).tasks.length;

test('a workflow goes on from its first open step with what its client has done, and is completed at its end [workflow-resume]', async () => {
  await fixture.put('goes_on', [
    { name: 'show', tool: 'get_task', arguments: { id: 77 } },
    { name: 'next', tool: 'next_task' },
    {
      name: 'begin',
      tool: 'set_task_status',
      arguments: { id: '{{steps.show.task.id}}', status: 'in-progress' },
    },
  ]);
  const { taskId, status } = await fixture.run('goes_on');
  expect(status).toBe('working');
  const again = await resume(taskId, 1);
  expect(again).toMatchObject({ status: 'working', remaining: [{ name: 'show' }, {}, {}] });
  await fixture.continue(taskId, 'get_task', { id: 2 });
  const resumed = await resume(taskId, 1);
  expect(resumed).toMatchObject({ taskId, status: 'completed', workflow: 'goes_on', remaining: [] });
  expect(resumed.variables['_workflow.progress'].steps).toMatchObject([
    { status: 'completed', source: 'client' },
    { status: 'completed', source: 'server' },
    { status: 'completed', source: 'server' },
  ]);
  const { task } = await callTool(fixture.clients[0], 'get_task', { id: 2 });
  expect(task.status).toBe('in-progress');
  expect(await fixture.status(taskId)).toMatchObject({
    status: 'completed',
    result: { completed: true, stepsCompleted: 3 },
    variables: { '_workflow.result.show': { task: { id: 2 } } },
  });
  expect(await callToolForError(fixture.clients[0], 'resume_workflow', { taskId })).toMatchObject({
    code: 'task_ended',
    status: 'completed',
  });
});

test('prompts/get with the id of a task goes on with it, and hands off again where it stops [workflow-resume]', async () => {
  await fixture.put('by_prompt', [
    { name: 'show', tool: 'get_task', arguments: { id: 77 } },
    { name: 'gone', tool: 'get_task', arguments: { id: 78 }, guidance: 'Look.' },
  ]);
  const { taskId } = await fixture.run('by_prompt');
  await fixture.continue(taskId, 'get_task', { id: 1 });
  const reply: AnyJson = await fixture.clients[1].getPrompt({
    name: 'by_prompt',
    _meta: { _task_id: taskId },
  });
  expect(reply._meta).toEqual({ task_id: taskId, task_status: 'working' });
  const last: string = reply.messages.at(-1).content.text;
  expect(last).toMatch(/^Step 2 \('gone'\) failed: .*78/);
  expect(last).toContain('1. Call get_task with {"id":78} (failed; not retryable as it is)\n   Note: Look.');
  const bad = (params: object) => fixture.clients[1].getPrompt(params as never);
  await fixture.put('other', [{ name: 'next', tool: 'next_task' }]);
  for (const [name, given] of [
    ['other', taskId],
    ['by_prompt', 7],
    ['by_prompt', 'ffffffff-ffff-4fff-8fff-ffffffffff00'],
  ] as const)
    await expect(bad({ name, _meta: { _task_id: given } })).rejects.toMatchObject({ code: -32602 });
});

test("an operation's task is said to be none of a workflow, and a stranger's is not found [workflow-resume]", async () => {
  const { taskId } = await callTool(fixture.clients[0], 'bench_echo', { text: 'x' });
  const refused = await callToolForError(fixture.clients[0], 'resume_workflow', { taskId });
  expect(refused).toMatchObject({ code: 'task_not_workflow', operation: 'bench_echo', taskId });
  const key = await fixture.baton.createKey({ scopes: ['mcp'], principal: 'bob' });
  const { body } = await fixture.rest('POST', '/tools/resume_workflow', { taskId }, { key });
  expect(body.code).toBe('task_not_found');
});

test('a step that delegated in the run is recorded once it is answered, and the run goes on with its result [workflow-child, workflow-resume]', async () => {
  await fixture.put('waits', [
    { name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } },
    { ...add('{{steps.echo.value}}', 'waits'), name: 'add' },
  ]);
  const { taskId, last } = await fixture.run('waits');
  const interactionId = /Call agent_llm with \{"interactionId":"([^"]+)"/.exec(last)?.[1];
  const still = await resume(taskId, 1);
  expect(still.status).toBe('working');
  expect(still.variables['_workflow.progress'].steps[0]).toMatchObject({
    status: 'delegated',
    source: 'server',
  });
  await callTool(fixture.clients[1], 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ value: 'From the answer' }),
  });
  const recorded = await fixture.status(taskId);
  expect(recorded.variables['_workflow.progress'].steps[0]).toMatchObject({
    status: 'completed',
    source: 'server',
  });
  expect((await resume(taskId)).status).toBe('completed');
  const { tasks } = await callTool(fixture.clients[0], 'get_tasks', { projectRoot: 'waits' });
  expect(tasks.map(({ title }: AnyJson) => title)).toEqual(['From the answer']);
});

test('resumes at once on two replicas run each step once, and tell the same [workflow-resume]', async () => {
  await fixture.put('twice', [
    { name: 'show', tool: 'get_task', arguments: { id: 77 } },
    add('Once', 'twice'),
    { name: 'gone', tool: 'get_task', arguments: { id: 78 } },
  ]);
  const { taskId } = await fixture.run('twice');
  await fixture.continue(taskId, 'get_task', { id: 1 });
  const all = await Promise.all(Array.from({ length: 6 }, (_, n) => resume(taskId, n % 2)));
  expect(await countTasks('twice')).toBe(1);
  for (const { status, variables } of all) {
    expect(status).toBe('working');
    expect(variables['_workflow.progress'].completed).toBe(2);
  }
});

test('a step that a client does while a run goes on is not called behind it, and nothing is lost [workflow-resume]', async () => {
  const steps = Array.from({ length: 8 }, (_, n) => ({ ...add(`Step ${n}`, 'beside'), name: `add${n}` }));
  await fixture.put('beside', [{ name: 'show', tool: 'get_task', arguments: { id: 77 } }, ...steps]);
  const { taskId } = await fixture.run('beside');
  await fixture.continue(taskId, 'get_task', { id: 1 });
  const call = { projectRoot: 'beside', title: 'Step 7', description: 'x' };
  const [resumed, continued] = await Promise.all([
    resume(taskId),
    fixture.continue(taskId, 'add_task', call, { at: 1 }),
  ]);
  expect(resumed.status).toBe('completed');
  expect(continued.structured.task.title).toBe('Step 7');
  const titles = (await callTool(fixture.clients[0], 'get_tasks', { projectRoot: 'beside' })).tasks.map(
    ({ title }: AnyJson) => title,
  );
  // Each step was done by one of the two; only the one that both had begun may stand twice.
  expect(new Set(titles).size).toBe(8);
  expect(titles.length).toBeLessThanOrEqual(9);
});

test('a run whose gateway died during a resume is finished by the next, and what it changed is changed once [workflow-resume]', async () => {
  await fixture.put('dies', [
    { name: 'show', tool: 'get_task', arguments: { id: 77 } },
    add('Never twice', 'dies'),
    { name: 'gone', tool: 'get_task', arguments: { id: 78 } },
  ]);
  const { taskId } = await fixture.run('dies');
  await fixture.continue(taskId, 'get_task', { id: 1 });
  const first = await resume(taskId);
  // What such a gateway leaves: the outcomes up to the step that it was calling.
  const { keys } = fixture.baton.store.tenant('acme');
  expect(await redis.hdel(keys.task(taskId), 'p:s1', 'p:s2')).toBe(2);
  expect((await fixture.status(taskId)).variables['_workflow.progress'].completed).toBe(1);
  const second = await resume(taskId, 1);
  const names = (reply: AnyJson) => reply.remaining.map(({ name }: AnyJson) => name);
  expect([second.status, names(second)]).toEqual([first.status, names(first)]);
  expect(await countTasks('dies')).toBe(1);
});

test("steps read the task's variables; one that nothing has set is handed off [workflow-task-variables]", async () => {
  await fixture.put('reads', [
    { name: 'show', tool: 'get_task', arguments: { id: '{{task._workflow.extra.next_task.task.id}}' } },
    { ...add('Of {{task._workflow.progress.goal}}', 'reads'), name: 'note' },
  ]);
  const { taskId, last } = await fixture.run('reads');
  expect(last).toContain(
    "Step 1 ('show') was not called, since not all of its arguments are known: 'id' needs the task's variable '_workflow.extra.next_task.task.id', which nothing has set.",
  );
  expect(last).toContain(`1. Call get_task with {"id":"<variable '_workflow.extra.next_task.task.id'>"}`);
  await fixture.continue(taskId, 'next_task', {}, { at: 1 });
  expect((await resume(taskId)).status).toBe('completed');
  const { tasks } = await callTool(fixture.clients[0], 'get_tasks', { projectRoot: 'reads' });
  expect(tasks[0].title).toBe('Of do reads');
  const refused = await fixture.rest('PUT', '/workflows/wrong', {
    name: 'wrong',
    description: 'd',
    steps: [
      { name: 'a', tool: 'get_task', arguments: { id: '{{task._workflow.result.nobody}}' } },
      { name: 'b', tool: 'get_task', arguments: { id: '{{task._workflow.extra.nothing}}' } },
      { name: 'c', tool: 'get_task', arguments: { id: '{{task.status}}' } },
    ],
  });
  expect(refused.body.issues.map(({ step, problem }: AnyJson) => [step, problem.slice(0, 40)])).toEqual([
    ['a', "no step 'nobody' has a result"],
    ['b', "there is no tool 'nothing'"],
    ['c', expect.stringContaining('names no variable')],
  ]);
});

test('a workflow that is changed or deleted while its tasks run is gone on with as they began', async () => {
  const before = [{ name: 'show', tool: 'get_task', arguments: { id: 77 } }, add('Old', 'kept')];
  await fixture.put('kept', before);
  const { taskId } = await fixture.run('kept');
  await fixture.put('kept', [{ name: 'other', tool: 'next_task' }]);
  expect((await fixture.continue(taskId, 'get_task', { id: 1 })).continuation.step).toBe('show');
  await fixture.rest('DELETE', '/workflows/kept');
  expect((await resume(taskId, 1)).status).toBe('completed');
  expect(await countTasks('kept')).toBe(1);
});
