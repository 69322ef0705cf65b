import { createLogger } from '@baton/gateway';
import { syntheticOperations } from '@baton/operations';
import { Store } from '@baton/store';
import { type RunningWorker, startWorker } from '@baton/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestTenant,
  type TestReplicas,
  TEST_SECRET,
  startTestReplicas,
} from '../../apps/gateway/src/rest/testing/test-replicas.ts';

/** What REST shows of tasks that a worker resumes and sweeps. */
let replicas: TestReplicas;
let store: Store;
let worker: RunningWorker;

beforeAll(async () => {
  replicas = await startTestReplicas();
  store = await Store.open({ url: replicas.redisUrl, secret: TEST_SECRET, replica: 'worker' });
  worker = await startWorker(
    { drainMs: 2_000, providerCalls: 4, egressAllow: [] },
    store,
    createLogger('silent', {}),
    syntheticOperations,
  );
});
afterAll(async () => {
  await worker.stop();
  await store.close();
  await replicas.stop();
});

const object = (value: unknown, waitMs = 20_000) => ({
  agentLLMResponse: { status: 'success', data: { object: value } },
  waitMs,
});
const eventsOf = (body: { timeline: { event: string }[] }) => body.timeline.map(({ event }) => event);

test('an answer over REST waits for the result, which the task then shows on every replica', async () => {
  const { one, other } = replicas;
  const { mcp, agent } = await createTestTenant(one);
  const { interactionId, taskId } = await one.delegate(mcp);
  const path = `/v1/interactions/${interactionId}/answer`;
  const { body } = await other.send('POST', path, { token: agent, json: object({ value: 'done' }) });
  expect(body.outcome).toMatchObject({ status: 'completed', result: { value: 'done' } });

  const task = await one.send('GET', `/v1/tasks/${taskId}`, { token: mcp });
  expect(task.body).toMatchObject({ status: 'completed', result: body.outcome.result });
  expect(eventsOf(task.body)).toEqual(['created', 'interaction_opened', 'interaction_answered', 'completed']);
});

test('an invalid answer is requested again, and the next request is in the outcome', async () => {
  const { one, other } = replicas;
  const { mcp } = await createTestTenant(one);
  const { interactionId, taskId } = await one.delegate(mcp);
  const path = `/v1/interactions/${interactionId}/answer`;
  const { body } = await one.send('POST', path, { token: mcp, json: object({ value: 7 }) });
  expect(body.outcome).toMatchObject({ status: 'input_required', pending: { attempt: 2, taskId } });
  const list = await other.send('GET', '/v1/interactions?status=pending', { token: mcp });
  expect(list.body.interactions).toMatchObject([
    { interactionId: body.outcome.pending.interactionId, attempt: 2 },
  ]);
});

test('an interaction expires at its extended deadline, and its task fails with interaction_expired', async () => {
  const { one, other } = replicas;
  const { mcp } = await createTestTenant(one);
  const { interactionId, taskId } = await one.delegate(mcp);
  await one.send('POST', `/v1/interactions/${interactionId}/extend`, { token: mcp, json: { ttlMs: 1 } });
  const read = async () => (await other.send('GET', `/v1/tasks/${taskId}`, { token: mcp })).body;
  await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe('failed');
  const task = await read();
  expect(task.error).toMatchObject({ code: 'interaction_expired' });
  expect(eventsOf(task)).toEqual(['created', 'interaction_opened', 'interaction_expired', 'failed']);
  const listed = await one.send('GET', '/v1/interactions?status=expired', { token: mcp });
  expect(listed.body.interactions).toMatchObject([{ interactionId, status: 'expired' }]);
}, 20_000);

test('a cancelled interaction ends its task with that reason, unless the program goes on without it', async () => {
  const { one, other } = replicas;
  const { mcp } = await createTestTenant(one);
  const { interactionId, taskId } = await one.delegate(mcp);
  await one.send('POST', `/v1/interactions/${interactionId}/cancel`, { token: mcp });
  const read = async () => (await other.send('GET', `/v1/tasks/${taskId}`, { token: mcp })).body;
  await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe('failed');
  expect((await read()).error).toMatchObject({ code: 'interaction_cancelled' });
}, 20_000);

test('a program that throws fails its task with the reason, and never answers 500', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  const { interactionId, taskId } = await one.delegate(mcp, 'bench_poison', { text: 'x' });
  const path = `/v1/interactions/${interactionId}/answer`;
  const { status, body } = await one.send('POST', path, { token: mcp, json: object({ value: 'x' }) });
  expect([status, body.outcome.status]).toEqual([200, 'failed']);
  const task = await one.send('GET', `/v1/tasks/${taskId}`, { token: mcp });
  expect(task.body.error).toMatchObject({ code: 'internal' });
});

test('REST returns the project that a worker has committed', async () => {
  const { one, other } = replicas;
  const { mcp } = await createTestTenant(one);
  const asked = await one.delegate(mcp, 'parse_prd', {
    prd: 'Build a shed.',
    numTasks: 1,
    projectRoot: '/shed',
  });
  const tasks = [{ id: 1, title: 'Build it', description: 'All of it', dependencies: [] }];
  const path = `/v1/interactions/${asked.interactionId}/answer`;
  const json = object({
    tasks,
    metadata: { projectName: 'Shed', totalTasks: 1, sourceFile: '', generatedAt: '' },
  });
  const { body } = await one.send('POST', path, { token: mcp, json });
  expect(body.outcome.status).toBe('completed');
  const file = await other.send('GET', '/v1/projects/%2Fshed', { token: mcp });
  expect(file.body.master.tasks).toMatchObject([{ id: 1, title: 'Build it' }]);
});
