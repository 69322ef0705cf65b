import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeLlmServer, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { type AnyJson, callTool } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/** A step's task that failed within the call of its step: the workflow never waited for it. */
let fixture: WorkflowFixture;
let llm: FakeLlmServer;
let fails = true;

beforeAll(async () => {
  llm = await FakeLlmServer.start(() =>
    fails ? { do: 'refuse', status: 400 } : { ...VALID_ANSWER, text: '{"value":"at last"}' },
  );
  fixture = await WorkflowFixture.start({ egressAllow: ['127.0.0.0/8'] });
  await fixture.put('echo', [{ name: 'ask', tool: 'bench_echo', arguments: { text: 'x' } }]);
  const route = { kind: 'openai', baseUrl: llm.url, modelId: 'm', apiKey: null };
  await fixture.rest('PUT', '/roles/main', { routes: [route] });
  // Other processes go by what they read up to a second ago.
  await new Promise((resolve) => setTimeout(resolve, 1_050));
});
afterAll(async () => {
  await fixture?.stop();
  await llm?.close();
});

const stepOf = async (taskId: string): Promise<AnyJson> =>
  (await fixture.status(taskId)).variables['_workflow.progress'].steps[0];

test.each([
  ['of the run', async (): Promise<string> => (await fixture.run('echo')).taskId],
  [
    "of its client's call",
    async (): Promise<string> => {
      const { taskId } = await fixture.run('echo');
      const again = await fixture.continue(taskId, 'bench_echo', { text: 'y' });
      expect(again.structured.error).toMatchObject({ code: 'agent_error' });
      return taskId;
    },
  ],
])('the retry of a failed task %s counts for its step', async (_whose, begin) => {
  fails = true;
  const taskId = await begin();
  expect(await stepOf(taskId)).toMatchObject({ status: 'failed' });
  const { tasks } = (await fixture.rest('GET', '/tasks?operation=bench_echo&status=failed')).body;
  fails = false;
  const retried = await callTool(fixture.clients[1], 'retry_task', {
    taskId: tasks[0].taskId,
    waitMs: 10_000,
  });
  expect(retried.status).toBe('completed');
  await waitUntilOrThrow(
    'the step is recorded',
    10_000,
    async () => (await stepOf(taskId)).status === 'completed',
  );
  expect((await fixture.status(taskId)).variables['_workflow.result.ask']).toMatchObject({
    taskId: tasks[0].taskId,
  });
  await callTool(fixture.clients[0], 'cancel_task', { taskId });
});
