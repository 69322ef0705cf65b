import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  callToolForError,
} from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';

/** What the sources of the operations leave open, as Baton has it: work that is done is never changed by an LLM. */
let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(() => baton.stop());

let projectRoot = '';
let projects = 0;
beforeEach(async () => {
  projectRoot = `choices-${++projects}`;
  const subtask = (id: number, status: string) => ({ id, title: `Part ${id}`, description: 'What.', status });
  const tasks = [
    { id: 1, title: 'One', description: 'd', status: 'done' },
    { id: 2, title: 'Two', description: 'd', subtasks: [subtask(1, 'done'), subtask(2, 'pending')] },
  ];
  const response = await fetch(`${baton.url(0)}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  if (response.status !== 200) throw new Error(await response.text());
});

const use = (tool: string, args: object): Promise<AnyJson> =>
  callTool(client, tool, { projectRoot, ...args });

test('expand_task with force replaces open subtasks, and never changes done ones', async () => {
  const before = (await use('get_task', { id: 2 })).task.subtasks[0];
  const { interactionId } = await use('expand_task', { id: 2, force: true });
  const agentLLMResponse = successAnswer({ subtasks: [{ id: 1, title: 'New', description: 'Else.' }] });
  const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
  expect(outcome.result).toMatchObject({ subtasksAdded: 1, subtasksReplaced: 1 });
  const { subtasks } = (await use('get_task', { id: 2 })).task;
  expect(subtasks.map(({ title }: AnyJson) => title)).toEqual(['Part 1', 'New']);
  expect(subtasks[0]).toEqual(before);
});

test('update changes a cancelled task, which stays cancelled', async () => {
  await use('set_task_status', { id: '2', status: 'cancelled' });
  const { interactionId } = await use('update', { from: 2, prompt: 'Use Postgres.' });
  const agentLLMResponse = successAnswer({ tasks: [{ id: 2, title: 'Two on Postgres' }] });
  const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
  expect(outcome.result).toMatchObject({ taskIds: [2] });
  expect((await use('get_task', { id: 2 })).task).toMatchObject({
    title: 'Two on Postgres',
    status: 'cancelled',
  });
});

test.each([
  ['update_task', { id: 1, prompt: 'Use Postgres.' }],
  ['update_task', { id: 1, prompt: 'Note it.', append: true }],
  ['update_subtask', { id: '2.1', prompt: 'Note it.' }],
  ['expand_task', { id: 1 }],
  ['scope_up_task', { id: '1' }],
  ['scope_down_task', { id: '1' }],
  ['research', { query: 'Which?', saveTo: '1' }, '1'],
] as [string, object, string?][])(
  '%s of a done item is refused before it is delegated: %j',
  async (tool, args, id = `${(args as AnyJson).id}`) => {
    const error = await callToolForError(client, tool, { projectRoot, ...args });
    expect(error).toMatchObject({ code: 'project_task_done', id });
    expect((await callTool(client, 'pending_interactions', {})).interactions).toEqual([]);
  },
);

test("add_task returns the new task's number as id, since taskId is the delegation's", async () => {
  expect(await use('add_task', { title: 'T', description: 'D' })).toMatchObject({ id: 3, task: { id: 3 } });
  const { interactionId, taskId } = await use('add_task', { prompt: 'One more.' });
  const agentLLMResponse = successAnswer({ title: 'Worked out', description: 'Why' });
  const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
  expect(outcome.result).toMatchObject({ id: 4, taskId, task: { id: 4, title: 'Worked out' } });
});

test.each([
  ['add_task', { title: 'T', description: 'D', dependencies: 'the first' }, 'dependencies'],
  ['add_task', { title: 'T', description: 'D', dependencies: '1,42' }, 'dependencies'],
  ['add_subtask', { id: 2, title: 'T', dependencies: 'the first' }, 'dependencies'],
  ['add_dependency', { id: 2, dependsOn: 'x' }, 'dependsOn'],
  ['move_task', { from: 'x', to: '5' }, 'from'],
  ['move_task', { from: '2', to: 'x' }, 'to'],
  ['analyze_project_complexity', { ids: 'x' }, 'ids'],
  ['set_task_status', { id: 'x', status: 'done' }, 'id'],
])('%s names the argument with an invalid id: %j', async (tool, args, field) => {
  const error = await callToolForError(client, tool, { projectRoot, ...args });
  expect(error.field).toBe(field);
  expect(error.message).toContain(field);
  expect((await use('get_tasks', {})).tasks).toHaveLength(2);
});
