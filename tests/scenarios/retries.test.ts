import { AnswerCheck, Programs, resumeTask } from '@baton/runner';
import { openShards, type Shard, taskRef } from '@baton/store/shards';
import { testOperations } from '@baton/operations';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf, call, connect } from '../harness/client.ts';
import { Deployment } from '../harness/deployment.ts';

/** What a worker does with segments that fail, step by step: no worker runs here but this test's hand. */
let baton: Deployment;
let redis: Redis;
let shard: Shard;
const check = new AnswerCheck();
const old = new Programs();
const current = new Programs(testOperations);

beforeAll(async () => {
  baton = await Deployment.start({ gateways: 1, workers: 0 });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const [only] = openShards(baton.store);
  if (only === undefined) throw new Error('no shard');
  shard = only;
});
afterAll(async () => {
  redis.disconnect();
  await check.close();
  await baton.stop();
});

async function answered(): Promise<string> {
  const client = await connect(baton.url(), baton.apiKey);
  const { interactionId, taskId } = await call(client, 'bench_echo', { text: 'x' });
  await call(client, 'agent_llm', { interactionId, agentLLMResponse: answerOf({ value: 'v' }), waitMs: 0 });
  return taskId;
}

const taskKey = async (taskId: string) => {
  const [key] = await redis.keys(`*:task:${taskRef(taskId)}`);
  return key ?? '';
};
const resume = async (programs: Programs) => {
  const { segments } = await shard.take(1);
  const [segment] = segments;
  if (segment === undefined) throw new Error('nothing was ready');
  return resumeTask(programs, check, shard, segment, () => {});
};
const standing = async (taskId: string) =>
  call(await connect(baton.url(), baton.apiKey), 'task_status', { taskId });

test('a worker without the program puts the task back for a while, and one that has it goes on', async () => {
  const taskId = await answered();
  expect(await resume(old)).toBe('released');
  expect((await standing(taskId)).status).toBe('working');
  // What the sweep does when the pause is over.
  await redis.hset(await taskKey(taskId), 'wk', 1);
  await redis.zadd('baton:{s0}:deadlines', 1, `acme:${taskRef(taskId)}`);
  await expect.poll(() => shard.sweep(), { timeout: 5_000 }).toBe(true);
  expect(await resume(current)).toBe('completed');
  expect(await standing(taskId)).toMatchObject({ status: 'completed', result: { value: 'v' } });
});

test('a task whose program no worker has fails with program_unavailable after a bounded number of tries', async () => {
  const taskId = await answered();
  await redis.hset(await taskKey(taskId), 'tr', 7);
  expect(await resume(old)).toBe('failed');
  expect(await standing(taskId)).toMatchObject({ status: 'failed', error: { code: 'program_unavailable' } });
});

test('a segment that takes its worker down each time ends its task with the reason, and circles nowhere', async () => {
  const taskId = await answered();
  await redis.hset(await taskKey(taskId), 'tr', 8);
  expect(await resume(current)).toBe('failed');
  const { error } = await standing(taskId);
  expect(error).toMatchObject({ code: 'internal' });
  expect(error.message).toContain('8 times');
  expect((await shard.take(1)).segments).toEqual([]);
});
