import { afterAll, beforeAll, expect, test } from 'vitest';
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
    "assistant: Step 1 ('fetch') failed: Tag 'master' has no task 404. The same call may succeed when it is repeated.

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
