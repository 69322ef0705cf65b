import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { successAnswer, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { countAddedJobs, openBullQueue } from './bullmq-queue.ts';

/** Every resume is a BullMQ job: what an operator's tools see of it, and what they may do to it. */
let baton: InProcessDeployment;
let client: Client;
let other: Client;
let view: ReturnType<typeof openBullQueue>;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
  other = await connectMcpClient(baton.url(1), baton.apiKey);
  view = openBullQueue(baton.redisUrl);
});
afterAll(async () => {
  await view.close();
  await baton.stop();
});

const park = () => callTool(client, 'bench_echo', { text: 'x' });
const answer = (interactionId: string, waitMs = 10_000) =>
  callTool(other, 'agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'v' }), waitMs });
const ended = (taskId: string, timeout = 15_000) =>
  expect
    .poll(async () => (await callTool(client, 'task_status', { taskId })).status, { timeout })
    .not.toBe('working');

/** When the jobs of each tenant were last compared with those that BullMQ has. */
const CHECKED = 'baton:{s0}:outstanding';
/** The next sweep compares them, however short ago it did. */
const bringCheckForward = () => view.redis.zadd(CHECKED, 'XX', 1, 'acme');

test('one answer is one job, and a burst of answers needs fewer jobs than answers', async () => {
  const before = await countAddedJobs(view.redis);
  for (let n = 0; n < 5; n++) {
    const { interactionId } = await park();
    expect((await answer(interactionId)).outcome.status).toBe('completed');
  }
  expect((await countAddedJobs(view.redis)) - before).toBe(5);

  const parked = await Promise.all(Array.from({ length: 64 }, park));
  const from = await countAddedJobs(view.redis);
  const outcomes = await Promise.all(parked.map(({ interactionId }) => answer(interactionId)));
  expect(outcomes.every(({ outcome }) => outcome.status === 'completed')).toBe(true);
  expect((await countAddedJobs(view.redis)) - from).toBeLessThanOrEqual(32);
});

test('a job has its tenant and task id and no payload, and is removed when it completes', async () => {
  await view.queue.pause();
  const { interactionId, taskId } = await park();
  await answer(interactionId, 0);
  await expect.poll(() => view.queue.getWaitingCount()).toBe(1);
  const [job] = await view.queue.getWaiting();
  expect(job).toMatchObject({ name: 'resume', data: { tenant: 'acme', list: 'ready', tasks: [taskId] } });
  expect(JSON.stringify(job), 'and never its payload').not.toContain('"v"');
  await view.queue.resume();
  await ended(taskId);
  await expect.poll(() => view.queue.getJobCounts()).toMatchObject({ waiting: 0, active: 0, completed: 0 });
});

test('a paused queue stays paused, is reported, never gets a second job, and resumes accepted answers later', async () => {
  await view.queue.pause();
  const from = await countAddedJobs(view.redis);
  const parked = await Promise.all(Array.from({ length: 20 }, park));
  await Promise.all(parked.map(({ interactionId }) => answer(interactionId, 0)));
  await expect.poll(() => view.queue.getWaitingCount()).toBe(1);
  const { redis } = view;
  // Three of the sweep's checks.
  for (let time = 0; time < 3; time++) {
    await bringCheckForward();
    const checked = async () => Number(await redis.zscore(CHECKED, 'acme'));
    await expect.poll(checked, { timeout: 10_000 }).toBeGreaterThan(1);
  }
  expect(await view.queue.getWaitingCount()).toBe(1);
  expect((await countAddedJobs(redis)) - from).toBe(1);
  expect(await view.queue.isPaused()).toBe(true);
  const ready = await fetch(`${baton.url(0)}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', paused: ['s0:resume'] }]);
  const token = { authorization: 'Bearer operator-token-of-the-tests' };
  const metrics = await (await fetch(`${baton.url(0)}/metrics`, { headers: token })).text();
  expect(metrics).toContain('baton_queues_paused 1');
  expect(metrics).toContain('baton_queue_jobs{queue="resume",state="waiting"} 1');
  await view.queue.resume();
  for (const { taskId } of parked) await ended(taskId);
  expect(await (await fetch(`${baton.url(0)}/readyz`)).json()).toEqual({ status: 'ready' });
}, 60_000);

test.each([
  ['data of an earlier release', 'drain', {}],
  ['broken data', 'resume', { tenant: 'acme:{s1}', list: 'ready', number: 1, tasks: [] }],
])('a job with %s fails with its reason, once, and the worker goes on', async (_what, name, data) => {
  const job = await view.queue.add(name, data);
  await expect.poll(() => job.getState(), { timeout: 10_000 }).toBe('failed');
  const failed = await view.queue.getJob(job.id!);
  expect(failed?.failedReason).toMatch(/^this is no job of this release: its data has tenant: /);
  expect(failed?.attemptsMade).toBe(1);
  await failed?.remove();
  const { interactionId } = await park();
  expect((await answer(interactionId)).outcome.status).toBe('completed');
});

test.each<[string, () => Promise<unknown>]>([
  ['drained', () => view.queue.drain(true)],
  ['obliterated', () => view.queue.obliterate({ force: true })],
  ['removed one by one', async () => Promise.all((await view.queue.getWaiting()).map((job) => job.remove()))],
])(
  'a queue that is %s while tasks are ready loses none of them',
  async (_how, strike) => {
    await view.queue.pause();
    const parked = await Promise.all(Array.from({ length: 5 }, park));
    await Promise.all(parked.map(({ interactionId }) => answer(interactionId, 0)));
    await expect.poll(() => view.queue.getWaitingCount()).toBe(1);
    await strike();
    await bringCheckForward();
    await view.queue.resume();
    for (const { taskId } of parked) await ended(taskId);
  },
  40_000,
);

/** A sleep ends by a sweep alone. */
async function expectSweeps(): Promise<void> {
  const { taskId } = await callTool(client, 'bench_sleep', { ms: 100 });
  await expect
    .poll(async () => (await callTool(client, 'task_status', { taskId })).status, { timeout: 15_000 })
    .toBe('input_required');
}

test('an obliterated queue of deadlines is created again, and no deadline is lost', async () => {
  const deadlines = openBullQueue(baton.redisUrl, 'deadlines');
  await expect.poll(() => deadlines.queue.getJobSchedulersCount(), { timeout: 10_000 }).toBe(1);
  await deadlines.queue.obliterate({ force: true });
  await expect.poll(() => deadlines.queue.getJobSchedulersCount(), { timeout: 15_000 }).toBe(1);
  await expectSweeps();
  await deadlines.close();
}, 40_000);

test('a sweep that a worker with a fast clock has scheduled, and died, does not hold up deadlines', async () => {
  const deadlines = openBullQueue(baton.redisUrl, 'deadlines');
  await deadlines.queue.removeJobScheduler('sweep');
  const startDate = Date.now() + 600_000;
  await deadlines.queue.upsertJobScheduler('sweep', { every: 500, startDate }, { data: { shard: 0 } });
  await expectSweeps();
  await deadlines.close();
}, 40_000);

test('a task that fails transiently is retried after a delay, and completes once the cause is gone', async () => {
  const { redis, queue } = view;
  const project = 'baton:{s0}:t:acme:project:wrong';
  const prd = { prd: 'A shop.', numTasks: 1, projectRoot: 'wrong' };
  const { interactionId, taskId } = await callTool(client, 'parse_prd', prd);
  await redis.set(project, 'not a project');
  const tasks = [{ id: 1, title: 'One', description: 'The only one.' }];
  const agentLLMResponse = successAnswer({ object: { tasks } });
  await callTool(client, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
  await expect.poll(() => queue.getDelayedCount(), { timeout: 10_000 }).toBe(1);
  const [job] = await queue.getDelayed();
  expect(job).toMatchObject({ data: { tenant: 'acme', tasks: [taskId] } });
  expect(job!.attemptsMade).toBeGreaterThanOrEqual(1);
  await redis.del(project);
  // An operator need not wait for the pause.
  await job!.promote().catch(() => {});
  await ended(taskId);
  expect(await callTool(client, 'task_status', { taskId })).toMatchObject({ status: 'completed' });
}, 40_000);

test('a task that keeps failing fails for good; its job is among the failed ones with the task id, never with payload', async () => {
  const { redis, queue } = view;
  const project = 'baton:{s0}:t:acme:project:broken';
  const prd = { prd: 'A secret shop.', numTasks: 1, projectRoot: 'broken' };
  const { interactionId, taskId } = await callTool(client, 'parse_prd', prd);
  await redis.set(project, 'not a project');
  const tasks = [{ id: 1, title: 'A secret title', description: 'The only one.' }];
  const agentLLMResponse = successAnswer({ object: { tasks } });
  // Another task of the same batch is none the worse for it.
  const neighbour = await park();
  await queue.pause();
  await callTool(client, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
  await answer(neighbour.interactionId, 0);
  await queue.resume();
  await ended(neighbour.taskId);
  const failed = async () => {
    for (const job of await queue.getDelayed()) await job.promote().catch(() => {});
    return queue.getFailedCount();
  };
  await expect.poll(failed, { timeout: 30_000 }).toBe(1);
  const [job] = await queue.getFailed();
  expect(job!.attemptsMade).toBe(8);
  expect(job!.failedReason).toBe(`task ${taskId}: internal`);
  expect(JSON.stringify(job)).not.toContain('secret');
  expect(await callTool(client, 'task_status', { taskId })).toMatchObject({
    status: 'failed',
    error: { code: 'internal' },
  });
  // Retried from a dashboard, it finds nothing to do.
  await job!.retry();
  await expect.poll(() => queue.getJobCounts()).toMatchObject({ failed: 0, waiting: 0, active: 0 });
  await redis.del(project);
}, 60_000);

test("a worker's metrics count jobs, the tasks of each, and how they ended", async () => {
  const [worker] = baton.workers;
  const text = await worker!.metrics.registry.metrics();
  expect(text).toMatch(/^baton_jobs_total\{queue="resume",outcome="completed"\} \d+$/m);
  expect(text).toMatch(/^baton_jobs_total\{queue="resume",outcome="failed"\} [1-9]\d*$/m);
  expect(text).toMatch(/^baton_jobs_total\{queue="resume",outcome="retried"\} [1-9]\d*$/m);
  expect(text).toMatch(/^baton_resumed_tasks_total\{end="completed"\} [1-9]\d*$/m);
  expect(text).toMatch(/^baton_resume_job_tasks_bucket\{le="16"\} [1-9]\d*$/m);
});
