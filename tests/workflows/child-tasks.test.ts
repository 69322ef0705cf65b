import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, successAnswer } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/** Tasks that steps have started, and what is said of them. */
let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  const failing = { name: 'failing', tool: 'get_task', arguments: { id: 77 } };
  await fixture.put('sleeping', [failing, { name: 'sleep', tool: 'bench_sleep' }]);
  await fixture.put('asking', [
    failing,
    { name: 'ask', tool: 'bench_echo' },
    { name: 'think', guidance: 'Think.' },
  ]);
});
afterAll(() => fixture?.stop());

const answer = (interactionId: string) =>
  callTool(fixture.clients[1], 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ object: { value: 'an answer' } }),
  });

test("a call about another workflow's task is a result like any other, and leaves the task with the workflow that has started it", async () => {
  const own = (await fixture.run('sleeping')).taskId;
  const other = (await fixture.run('sleeping')).taskId;
  const begun = await fixture.continue(own, 'bench_sleep', { ms: 1_500 });
  const child = begun.structured.taskId as string;
  expect(begun.structured.status).toBe('working');
  const looked = await fixture.continue(other, 'task_status', { taskId: child, waitMs: 0 });
  expect(looked.structured.status).toBe('working');
  expect((await fixture.status(other)).variables['_workflow.extra.task_status']).toMatchObject({
    taskId: child,
    status: 'working',
  });
  expect(await fixture.continue(own, 'task_status', { taskId: own })).toMatchObject({
    continuation: { recorded: false, reason: 'own_task' },
  });
  let interactionId = '';
  await waitUntilOrThrow('it has slept, and asks', 10_000, async () => {
    interactionId = (await callTool(fixture.clients[1], 'task_status', { taskId: child })).pending
      .interactionId;
    return true;
  });
  await answer(interactionId);
  expect((await fixture.status(own, 1)).variables['_workflow.result.sleep']).toBeDefined();
  const { variables } = await fixture.status(other);
  expect(Object.keys(variables).toSorted()).toEqual(['_workflow.extra.task_status', '_workflow.progress']);
});

test('a repeat for another workflow leaves the task with the first', async () => {
  const [own, other] = [(await fixture.run('asking')).taskId, (await fixture.run('asking')).taskId];
  const ask = async (taskId: string): Promise<AnyJson> =>
    (
      await fixture.clients[0].callTool({
        name: 'bench_echo',
        arguments: { text: 'x' },
        _meta: { _task_id: taskId, 'baton/idempotencyKey': 'asked-once' },
      })
    ).structuredContent;
  const { interactionId, taskId } = await ask(own);
  expect((await ask(other)).taskId).toBe(taskId);
  await answer(interactionId);
  expect((await fixture.status(own)).variables['_workflow.result.ask']).toMatchObject({
    status: 'completed',
  });
});

test('what is left of a step that waits is the call that its task needs; a step without a tool is no call', async () => {
  const { taskId } = await fixture.run('asking');
  const asked = await fixture.continue(taskId, 'bench_echo', { text: 'x' });
  const { interactionId, taskId: child } = asked.structured;
  expect(asked.continuation).toEqual({ recorded: true, step: 'ask', remaining: 2 });
  expect((await fixture.status(taskId)).remaining).toMatchObject([
    { name: 'failing', tool: 'get_task' },
    { name: 'ask', tool: 'agent_llm', arguments: { interactionId }, taskId: child },
  ]);
  await answer(interactionId);
  await callTool(fixture.clients[0], 'add_task', { title: 'Dig', description: 'Dig.' });
  const last = await fixture.continue(taskId, 'get_task', { id: 1 });
  expect(last.continuation).toEqual({ recorded: true, step: 'failing', remaining: 0 });
  const { remaining, variables } = await fixture.status(taskId);
  expect([remaining, variables['_workflow.progress']]).toMatchObject([[], { completed: 3, total: 3 }]);
});

test('a repeat of a run that its client has ended hands nothing off', async () => {
  const { taskId } = await fixture.run('asking', {}, { idempotencyKey: 'ended' });
  await callTool(fixture.clients[0], 'complete_task', { taskId, result: {} });
  const again = await fixture.run('asking', {}, { idempotencyKey: 'ended' });
  expect([again.taskId, again.status]).toEqual([taskId, 'completed']);
  expect(again.last).toBe(
    'assistant: This workflow has been ended: it is completed. Nothing is left to do for it.',
  );
});

test.each([
  ['retry_task', (child: string) => callTool(fixture.clients[1], 'retry_task', { taskId: child })],
  [
    'a retry of all that failed',
    () =>
      fixture.rest(
        'POST',
        '/tasks/retry',
        { filter: { operation: 'bench_echo' } },
        { at: 1, key: fixture.key },
      ),
  ],
  ['one by an admin', (child: string) => fixture.rest('POST', `/tasks/${child}/retry`, {})],
])(
  'the task of a step that failed is that of the step again after %s, and goes on from where it stood',
  async (_how, retry) => {
    const { taskId } = await fixture.run('asking');
    const { interactionId, taskId: child } = (await fixture.continue(taskId, 'bench_echo', { text: 'x' }))
      .structured;
    const fatal = { status: 'error', errorDetails: { message: 'no', type: 'authentication_error' } };
    await callTool(fixture.clients[1], 'agent_llm', { interactionId, agentLLMResponse: fatal });
    const progress = async () => (await fixture.status(taskId)).variables['_workflow.progress'];
    const before = await progress();
    await retry(child);
    const open = await callTool(fixture.clients[0], 'task_status', { taskId: child, waitMs: 10_000 });
    expect((await fixture.status(taskId)).remaining).toMatchObject([
      { name: 'failing' },
      {
        name: 'ask',
        tool: 'agent_llm',
        arguments: { interactionId: open.pending.interactionId },
        taskId: child,
      },
    ]);
    await answer(open.pending.interactionId);
    expect((await fixture.status(taskId)).variables['_workflow.result.ask']).toMatchObject({
      status: 'completed',
      taskId: child,
    });
    expect(await progress()).not.toEqual(before);
  },
);
