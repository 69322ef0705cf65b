import { afterAll, beforeAll, expect, test } from 'vitest';
import { metaWith, requestOf2026 } from '../dialects/client-of-2026.ts';
import { sampled } from '../dialects/sampling-client.ts';
import { type AnyJson, callTool } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/** A run of a workflow whose task another run completes while it is in one of its steps. */
let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  await callTool(fixture.clients[0], 'add_task', { title: 'Dig', description: 'Dig.' });
  await fixture.put('awaited', [{ name: 'gone', tool: 'get_task', arguments: { id: 77 } }]);
});
afterAll(() => fixture?.stop());

/**
 * Stores a workflow whose last step but one waits for another task; `first` stands before it. The run of `begin` is in that step when its
 * client does what is left, and a second run completes the task. Both replies, and what the workflow's prompt tells of the task then.
 */
async function overtake(
  name: string,
  first: object,
  begin: () => Promise<{ readonly run: () => Promise<AnyJson>; readonly findTask: () => Promise<string> }>,
) {
  const awaited = await fixture.run('awaited');
  const wait = { taskId: awaited.taskId, waitMs: 20_000 };
  await fixture.put(name, [
    first,
    { name: 'mark', tool: 'add_task', arguments: { projectRoot: name, title: 'Begun', description: 'x' } },
    { name: 'wait', tool: 'task_status', arguments: wait },
    { name: 'list', tool: 'list_tags' },
  ]);
  const { run, findTask } = await begin();
  const running = run();
  await waitUntilOrThrow('the run is in its step', 10_000, async () => {
    const { tasks } = await callTool(fixture.clients[1], 'get_tasks', { projectRoot: name });
    return tasks.length === 1;
  });
  const taskId = await findTask();
  await fixture.continue(taskId, 'task_status', { taskId: awaited.taskId }, { at: 1 });
  const second = await callTool(fixture.clients[1], 'resume_workflow', { taskId });
  await callTool(fixture.clients[1], 'complete_task', { taskId: awaited.taskId, result: {} });
  return { taskId, second, overtaken: await running };
}

async function findNewestRun(): Promise<string> {
  const { body } = await fixture.rest('GET', '/tasks?operation=workflow&status=working&limit=1');
  return body.tasks[0].taskId;
}

const CLIENT_META = metaWith({ sampling: {} });

test('prompts/get tells the completed run where a repeat of it has completed the task meanwhile', async () => {
  const name = 'overtaken_prompt';
  const { taskId, second, overtaken } = await overtake(
    name,
    { name: 'tags', tool: 'list_tags' },
    async () => ({
      run: () => fixture.run(name, {}, { idempotencyKey: 'once' }),
      findTask: findNewestRun,
    }),
  );
  expect(second.status).toBe('completed');
  expect(overtaken).toMatchObject({ taskId, status: 'completed' });
  const repeated = await fixture.run(name, {}, { at: 1, idempotencyKey: 'once' });
  expect(overtaken['texts']).toEqual(repeated.texts);
});

test('resume_workflow tells the completed run where another has completed the task meanwhile', async () => {
  const name = 'overtaken_resume';
  const first = { name: 'show', tool: 'get_task', arguments: { id: 77 } };
  const { second, overtaken } = await overtake(name, first, async () => {
    const { taskId } = await fixture.run(name);
    await fixture.continue(taskId, 'get_task', { id: 1 });
    return {
      run: () => callTool(fixture.clients[0], 'resume_workflow', { taskId }),
      findTask: async () => taskId,
    };
  });
  expect(second.status).toBe('completed');
  expect(overtaken).toEqual(second);
});

test('prompts/get of 2026-07-28 with a requestState tells the completed run where another has completed the task meanwhile', async () => {
  const name = 'overtaken_turn';
  const get = async (params: AnyJson) => {
    const request = { name, ...params };
    return (
      await requestOf2026(fixture.baton.url(), fixture.key, 'prompts/get', request, { meta: CLIENT_META })
    ).body.result;
  };
  const first = { name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } };
  const { taskId, overtaken } = await overtake(name, first, async () => {
    const asked = await get({});
    const [key = ''] = Object.keys(asked.inputRequests);
    const { requestState } = asked;
    return {
      run: () => get({ requestState, inputResponses: { [key]: sampled({ value: 'b' }) } }),
      findTask: findNewestRun,
    };
  });
  expect(overtaken).toMatchObject({
    resultType: 'complete',
    _meta: { task_id: taskId, task_status: 'completed' },
  });
});
