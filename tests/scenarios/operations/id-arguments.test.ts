import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, callToolForError, connectMcpClient } from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';

/** Ids of tasks and subtasks as callers write them. */
const TASKS = 1_001;
const projectRoot = 'id-arguments';
let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
  const subtasks = [1, 2].map((id) => ({ id, title: `Part ${id}`, description: 'What.' }));
  const tasks = ids(TASKS).map((id) => ({ id, title: `Task ${id}`, description: 'What.', subtasks }));
  const response = await fetch(`${baton.url(0)}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  if (response.status !== 200) throw new Error(await response.text());
});
afterAll(async () => {
  await client?.close();
  await baton?.stop();
});

const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const use = (tool: string, args: object) => callTool(client, tool, { projectRoot, ...args });
const refusal = (tool: string, args: object) => callToolForError(client, tool, { projectRoot, ...args });

test.each([
  ['add_task', { title: 'T', description: 'D', dependencies: ids(TASKS).join() }],
  ['add_task', { title: 'T', description: 'D', dependencies: ids(TASKS) }],
  ['add_task', { prompt: 'A basket.', dependencies: ids(TASKS).join() }],
  ['add_subtask', { id: 1, title: 'T', dependencies: ids(TASKS).join() }],
])('%s never cuts a list of dependencies that is too long: it is refused', async (tool, args) => {
  const { tasks } = await use('get_tasks', { limit: 1_000 });
  const refused = await refusal(tool, args);
  expect(refused).toMatchObject({
    code: 'invalid_arguments',
    field: 'dependencies',
    length: TASKS,
    most: 1_000,
    message: expect.stringMatching(/^dependencies: it names 1001 ids, and may name 1000/),
  });
  expect(await use('get_tasks', { limit: 1_000 })).toMatchObject({ tasks });
});

test('as many dependencies as a task may have are kept, named twice or not', async () => {
  const dependencies = [...ids(1_000), ...ids(100)].join();
  const { task } = await use('add_task', { title: 'T', description: 'D', dependencies });
  expect(task.dependencies).toEqual(ids(1_000));
});

test('a range of more ids than a call may name is refused with its length and the limit', async () => {
  expect(await refusal('add_dependency', { id: '1', dependsOn: '1-2001' })).toMatchObject({
    code: 'invalid_arguments',
    field: 'dependsOn',
    length: 2_001,
    most: 2_000,
  });
});

test('the id of a subtask that is shown may be a number with a fraction, over MCP and REST', async () => {
  expect((await use('get_task', { id: 1.1 })).task).toMatchObject({ id: '1.1', title: 'Part 1' });
  await use('set_task_status', { id: '1.2', status: 'review' });
  await use('add_dependency', { id: '1.2', dependsOn: '1.1' });
  const response = await fetch(`${baton.url(0)}/v1/tools/get_task`, {
    method: 'POST',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ projectRoot, id: 1.2 }),
  });
  expect(await response.json()).toMatchObject({
    task: { id: '1.2', status: 'review', dependencies: [1] },
  });
});

test.each([
  ['remove_task', { id: 1.1 }, 'id'],
  ['set_task_status', { id: 1.1, status: 'done' }, 'id'],
  ['remove_dependency', { id: 1.1, dependsOn: '1.2' }, 'id'],
  ['remove_subtask', { id: 1.1 }, 'id'],
  ['move_task', { from: 1.1, to: '5000' }, 'from'],
  ['add_subtask', { id: 1.1, title: 'T' }, 'id'],
  ['get_task', { id: 1e-7 }, 'id'],
])(
  '%s never takes %j, which may have lost a digit or names nothing, for an id',
  async (tool, args, field) => {
    expect(await refusal(tool, args)).toMatchObject({ code: 'invalid_arguments', field });
    expect((await use('get_task', { id: '1.1' })).task).toMatchObject({ title: 'Part 1' });
  },
);
