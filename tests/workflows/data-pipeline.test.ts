import { afterAll, beforeAll, expect, test } from 'vitest';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { type AnyJson, callTool } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/**
 * A pipeline of three steps, each of which needs the output of the one before: the cases by which the system that seed 2 describes
 * holds its own workflows together, over the wire. Fetching fails for a key that is not there, and may be repeated.
 */
let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  const [client] = fixture.clients;
  await callTool(client, 'add_task', { title: 'Raw', description: 'Raw content.' });
  await fixture.put(
    'data_pipeline',
    [
      { name: 'fetch', tool: 'get_task', arguments: { id: '{{args.source}}' }, bind: 'raw', retryable: true },
      {
        name: 'transform',
        tool: 'add_task',
        arguments: { title: 'From {{steps.raw.task.title}}', description: '{{steps.raw.task.description}}' },
        bind: 'transformed',
        guidance: 'Say where it comes from.',
      },
      {
        name: 'store',
        tool: 'set_task_status',
        arguments: { id: '{{steps.transformed.id}}', status: 'done' },
      },
    ],
    { description: 'fetch, transform, and store data', arguments: [{ name: 'source', required: true }] },
  );
  await fixture.put(
    'simple_fetch',
    [{ name: 'fetch', tool: 'get_task', arguments: { id: '{{args.source}}' } }],
    {
      arguments: [{ name: 'source', required: true }],
    },
  );
});
afterAll(() => fixture?.stop());

test('a source that is there runs through all steps, and the task is completed with what each gave', async () => {
  const run = await fixture.run('data_pipeline', { source: '1' });
  expect(run.status).toBe('completed');
  const { result } = await callTool(fixture.clients[1], 'task_status', { taskId: run.taskId });
  expect(result).toMatchObject({ completed: true, stepsCompleted: 3 });
  expect(Object.keys(result.results)).toEqual(['fetch', 'transform', 'store']);
});

test('a source that is not there stops at the first step, and the two behind it are handed off with what they need [workflow-remaining-steps, workflow-no-summary]', async () => {
  const run = await fixture.run('data_pipeline', { source: '404' });
  expect(run.status).toBe('working');
  expect(run.last).toMatchInlineSnapshot(`
    "assistant: Step 1 ('fetch') failed: Tag 'master' has no task 404; get_tasks lists those that it has. The same call may succeed when it is repeated.

    To continue the workflow, make these tool calls:
    1. Call get_task with {"id":"404"} (failed; retryable)
    2. Call add_task with {"title":"From <field 'task.title' from fetch>","description":"<field 'task.description' from fetch>"}
       Note: Say where it comes from.
    3. Call set_task_status with {"id":"<field 'id' from transform>","status":"done"}"
  `);
});

test('what is done stands in the trace alone: the handoff has neither its call nor its result [workflow-no-summary]', async () => {
  await fixture.put('two', [
    { name: 'fetch', tool: 'get_task', arguments: { id: 1 } },
    { name: 'lose', tool: 'get_task', arguments: { id: 404 } },
  ]);
  const { texts, last } = await fixture.run('two');
  expect(texts.join('\n')).toContain('Raw content.');
  expect(last).not.toContain('Raw content.');
  expect(last.match(/^\d+\. /gm)).toEqual(['1. ']);
});

test('workflows of one tenant run beside each other, each in a task of its own', async () => {
  const runs = await Promise.all([
    fixture.run('simple_fetch', { source: '1' }),
    fixture.run('data_pipeline', { source: '404' }, { at: 1 }),
    fixture.run('simple_fetch', { source: '404' }, { at: 1 }),
  ]);
  expect(runs.map(({ status }) => status)).toEqual(['completed', 'working', 'working']);
  expect(new Set(runs.map(({ taskId }) => taskId)).size).toBe(3);
  const prompt: AnyJson = await fixture.clients[0].getPrompt({
    name: 'simple_fetch',
    arguments: { source: '1' },
  });
  expect(prompt).toMatchObject({ description: 'do simple_fetch', _meta: { task_status: 'completed' } });
});

/** A request that the official client has no method for. */
const send = (method: string, params: object, at = 0): Promise<AnyJson> =>
  fixture.clients[at]!.request({ method, params: params as Record<string, unknown> }, ResultSchema);

test('the whole life: it stops, its client fetches another source and ends it with a result, which tasks/result gives', async () => {
  const { taskId, last } = await fixture.run('data_pipeline', { source: '404' });
  expect(last).toContain('To continue the workflow');
  const fetched = await fixture.continue(taskId, 'get_task', { id: 1 }, { at: 1 });
  expect(fetched).toMatchObject({
    isError: false,
    structured: { task: { title: 'Raw' } },
    continuation: { recorded: true, step: 'fetch', remaining: 2 },
  });
  const { status, variables } = await fixture.status(taskId);
  expect(status).toBe('working');
  expect(variables['_workflow.result.fetch']).toEqual(fetched.structured);
  expect(variables['_workflow.progress'].steps[0]).toMatchObject({ name: 'fetch', status: 'completed' });
  // The task still works: tasks/result waits for its end, on another replica.
  const held = send('tasks/result', { taskId }, 1);
  const result = { summary: 'Done by the client', data: 'out' };
  expect(await send('tasks/cancel', { taskId, result })).toMatchObject({ taskId, status: 'completed' });
  expect((await held)['structuredContent']).toMatchObject(result);
  expect(await send('tasks/get', { taskId }, 1)).toMatchObject({ status: 'completed' });
});

test('a continuation whose tool fails is told its failure, and leaves the task working with its step open', async () => {
  const { taskId } = await fixture.run('data_pipeline', { source: '404' });
  const again = await fixture.continue(taskId, 'get_task', { id: 405 });
  expect(again).toMatchObject({
    isError: true,
    structured: { error: { code: 'project_task_not_found' } },
    continuation: { recorded: true, step: 'fetch', remaining: 3 },
  });
  expect((await fixture.status(taskId, 1)).status).toBe('working');
});
