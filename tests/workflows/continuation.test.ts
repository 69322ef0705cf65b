import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  for (const title of ['Dig', 'Plant', 'Water'])
    await callTool(fixture.clients[0], 'add_task', { title, description: `${title}.` });
});
afterAll(() => fixture?.stop());

const show = (name: string, id: number | string, more: object = {}) => ({
  name,
  tool: 'get_task',
  arguments: { id },
  ...more,
});
/** A workflow whose first step fails, so that all of it is left to the client. */
const handedOff = async (name: string, steps: readonly object[] = []) => {
  await fixture.put(name, [show('missing', 77), ...steps]);
  return (await fixture.run(name)).taskId;
};

test('calls count for the open steps of their tools, in any order and with any arguments, on any replica [workflow-any-order, workflow-match]', async () => {
  const taskId = await handedOff('order', [
    { name: 'next', tool: 'next_task' },
    { name: 'list', tool: 'get_tasks', arguments: { status: 'done' } },
  ]);
  const list = await fixture.continue(taskId, 'get_tasks', { status: 'pending' }, { at: 1 });
  expect(list.continuation).toEqual({ recorded: true, step: 'list', remaining: 2 });
  expect(list.structured.tasks).toHaveLength(3);
  const missing = await fixture.continue(taskId, 'get_task', { id: 2 });
  expect(missing.continuation).toEqual({ recorded: true, step: 'missing', remaining: 1 });
  for (const at of [0, 1]) {
    const { status, variables, remaining, workflow } = await fixture.status(taskId, at);
    expect({ status, workflow }).toEqual({ status: 'working', workflow: 'order' });
    expect(variables['_workflow.progress']).toEqual({
      goal: 'do order',
      completed: 2,
      total: 3,
      steps: [
        { name: 'missing', tool: 'get_task', status: 'completed', source: 'client' },
        { name: 'next', tool: 'next_task', status: 'open' },
        { name: 'list', tool: 'get_tasks', status: 'completed', source: 'client' },
      ],
    });
    expect(variables['_workflow.result.missing'].task.id).toBe(2);
    expect(variables['_workflow.result.list'].tasks).toHaveLength(3);
    expect(remaining).toEqual([{ name: 'next', tool: 'next_task', arguments: {} }]);
  }
});

test('of several remaining steps of a tool, a call counts for the one that shares most arguments, then for the first [workflow-match]', async () => {
  const taskId = await handedOff('match', [show('two', 2), show('three', 3)]);
  expect((await fixture.continue(taskId, 'get_task', { id: 3 })).continuation.step).toBe('three');
  expect((await fixture.continue(taskId, 'get_task', { id: 1 })).continuation.step).toBe('missing');
});

test('a repeat replaces the result, any other tool is an extra, and the task stays working when all is done [workflow-last-wins, workflow-extra, workflow-client-ends, workflow-progress]', async () => {
  const taskId = await handedOff('repeat');
  const [first, second, other] = [
    await fixture.continue(taskId, 'get_task', { id: 1 }),
    await fixture.continue(taskId, 'get_task', { id: 2 }, { at: 1 }),
    await fixture.continue(taskId, 'next_task', {}),
  ];
  expect(first.continuation).toEqual({ recorded: true, step: 'missing', remaining: 0 });
  expect(second.continuation).toEqual({ recorded: true, step: 'missing', remaining: 0 });
  expect(other.continuation).toEqual({ recorded: true, remaining: 0 });
  const { status, variables } = await fixture.status(taskId, 1);
  expect(status).toBe('working');
  expect(variables['_workflow.result.missing'].task.id).toBe(2);
  expect(variables['_workflow.extra.next_task'].task.id).toBe(1);
});

test('a call that fails is recorded as failed: its step stays open, and takes the next result [workflow-failed-call]', async () => {
  const taskId = await handedOff('fails');
  const failed = await fixture.continue(taskId, 'get_task', { id: 88 });
  expect(failed).toMatchObject({
    isError: true,
    continuation: { recorded: true, step: 'missing', remaining: 1 },
  });
  const invalid = await fixture.continue(taskId, 'get_task', { id: { no: 'id' } });
  expect(invalid).toMatchObject({ isError: true, continuation: { recorded: true, step: 'missing' } });
  const { variables } = await fixture.status(taskId);
  expect(variables['_workflow.progress'].steps[0]).toMatchObject({
    status: 'failed',
    source: 'client',
    error: { code: 'invalid_arguments' },
  });
  expect(variables['_workflow.result.missing']).toBeUndefined();
  const done = await fixture.continue(taskId, 'get_task', { id: 1 });
  expect(done.continuation).toEqual({ recorded: true, step: 'missing', remaining: 0 });
});

test.each<[string, () => unknown]>([
  ['no text', () => 7],
  ['an object', () => ({ taskId: 'x' })],
  ['no id', () => 'not an id'],
  ['the id of nothing', () => 'ffffffff-ffff-4fff-8fff-ffffffffff00'],
  ['the name of a field', () => '__proto__'],
])('a _task_id that is %s never stops the call [workflow-never-blocks]', async (_claim, taskId) => {
  const { structured, continuation, isError } = await fixture.continue(taskId(), 'get_task', { id: 1 });
  expect({ id: structured.task.id, isError, continuation }).toEqual({
    id: 1,
    isError: false,
    continuation: { recorded: false, reason: 'not_found' },
  });
});

test("another's workflow, and a task that is no workflow, are not found; one that has ended says so [workflow-never-blocks]", async () => {
  const taskId = await handedOff('foreign');
  const bob = await connectMcpClient(
    fixture.baton.url(1),
    await fixture.baton.createKey({ scopes: ['mcp'], principal: 'bob' }),
  );
  const agent = await connectMcpClient(
    fixture.baton.url(1),
    await fixture.baton.createKey({ scopes: ['mcp', 'agent'], principal: 'agent-of-others' }),
  );
  const stranger = await connectMcpClient(fixture.baton.url(1), await fixture.baton.addTenant('strangers'));
  for (const client of [bob, agent, stranger]) {
    const { continuation } = await fixture.continue(taskId, 'next_task', {}, { client });
    expect(continuation).toEqual({ recorded: false, reason: 'not_found' });
    await client.close();
  }
  const { taskId: operation } = await callTool(fixture.clients[0], 'bench_echo', { text: 'x' });
  expect((await fixture.continue(operation, 'next_task', {})).continuation.reason).toBe('not_found');
  expect((await fixture.status(taskId)).variables['_workflow.extra.next_task']).toBeUndefined();
  await callTool(fixture.clients[0], 'cancel_task', { taskId });
  expect((await fixture.continue(taskId, 'next_task', {}, { at: 1 })).continuation).toEqual({
    recorded: false,
    reason: 'ended',
  });
});

test('an output for which a workflow has no room is told by its length, and its step is done', async () => {
  const names = Array.from({ length: 6 }, (_, n) => `list${n}`);
  const taskId = await handedOff(
    'long',
    names.map((name) => ({ name, tool: 'get_tasks' })),
  );
  const [client] = fixture.clients;
  const description = 'x'.repeat(9_900);
  for (let n = 0; n < 25; n++)
    await callTool(client, 'add_task', { projectRoot: 'long', title: `${n}`, description });
  for (const step of names) {
    const { continuation } = await fixture.continue(taskId, 'get_tasks', { projectRoot: 'long', limit: 100 });
    expect(continuation).toMatchObject({ recorded: true, step });
  }
  const { variables, remaining } = await fixture.status(taskId);
  expect(remaining).toHaveLength(1);
  const omitted = names.filter((name) => typeof variables[`_workflow.result.${name}`].omitted === 'string');
  expect(omitted).toEqual(['list4', 'list5']);
});

test('a step that delegates is a task of its own: recorded when it ends, wherever its answer comes in [workflow-child]', async () => {
  const taskId = await handedOff('child', [{ name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } }]);
  const called = await fixture.continue(taskId, 'bench_echo', { text: 'b' });
  expect(called.structured.status).toBe('pending_agent_llm_action');
  expect(called.continuation).toEqual({ recorded: true, step: 'echo', remaining: 2 });
  expect((await fixture.status(taskId, 1)).variables['_workflow.progress'].steps[1]).toEqual({
    name: 'echo',
    tool: 'bench_echo',
    status: 'delegated',
    source: 'client',
  });
  const { outcome } = await callTool(fixture.clients[1], 'agent_llm', {
    interactionId: called.structured.interactionId,
    agentLLMResponse: successAnswer({ value: 'done' }),
  });
  expect(outcome.status).toBe('completed');
  const { status, variables } = await fixture.status(taskId);
  expect(status).toBe('working');
  expect(variables['_workflow.result.echo']).toEqual(outcome.result);
  expect(variables['_workflow.progress']).toMatchObject({
    completed: 1,
    steps: [{}, { status: 'completed' }],
  });
});

test('subscribers of the task hear of each change, the end of a step that delegates included [workflow-variables]', async () => {
  const taskId = await handedOff('heard', [{ name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } }]);
  const client = await connectMcpClient(fixture.baton.url(1), fixture.key);
  const uri = `baton://tasks/${taskId}`;
  const { ResourceUpdatedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
  let heard = 0;
  let onHeard = () => {};
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    if (params.uri !== uri) return;
    heard++;
    onHeard();
  });
  await client.subscribeResource({ uri });
  const afterMore = async (change: () => Promise<unknown>, until: (read: AnyJson) => boolean) => {
    await change();
    for (;;) {
      const before = heard;
      const read = await client.readResource({ uri });
      const [content] = read.contents;
      if (heard > 0 && until(JSON.parse(String((content as AnyJson).text)))) break;
      if (heard === before) await new Promise<void>((resolve) => (onHeard = resolve));
    }
    heard = 0;
  };
  await afterMore(
    () => fixture.continue(taskId, 'next_task', {}),
    ({ variables }) => variables['_workflow.extra.next_task'] !== undefined,
  );
  let interactionId = '';
  await afterMore(
    async () => {
      const { structured } = await fixture.continue(taskId, 'bench_echo', { text: 'b' });
      ({ interactionId } = structured);
    },
    ({ variables }) => variables['_workflow.progress'].steps[1].status === 'delegated',
  );
  await afterMore(
    () =>
      callTool(fixture.clients[0], 'agent_llm', {
        interactionId,
        agentLLMResponse: successAnswer({ value: 'x' }),
      }),
    ({ variables }) => variables['_workflow.result.echo'] !== undefined,
  );
  await client.close();
});
