import { CallerSchemaValidator, Programs, resumeTask } from '@baton/runner';
import { createWorkerShards, type WorkerShard, taskRef } from '@baton/store/shards';
import { syntheticOperations } from '@baton/operations';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { successAnswer, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** How failing segments are retried, step by step: this test dequeues jobs itself, and no worker runs. */
let baton: InProcessDeployment;
let redis: Redis;
let shard: WorkerShard;
const check = new CallerSchemaValidator();
const old = new Programs();
const current = new Programs(syntheticOperations);

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const [only] = createWorkerShards(baton.store);
  if (only === undefined) throw new Error('no shard');
  shard = only;
});
afterAll(async () => {
  redis.disconnect();
  await check.close();
  await baton.stop();
});

async function answered(): Promise<string> {
  const client = await connectMcpClient(baton.url(), baton.apiKey);
  const { interactionId, taskId } = await callTool(client, 'bench_echo', { text: 'x' });
  await callTool(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ value: 'v' }),
    waitMs: 0,
  });
  return taskId;
}

const taskKey = async (taskId: string) => {
  const [key] = await redis.keys(`*:task:${taskRef(taskId)}`);
  return key ?? '';
};
// Job numbers that no script assigns.
let jobs = 1_000;
/** Runs one job as a worker with these programs would; undefined when it dequeues no task. */
const resume = async (programs: Programs, list: 'ready' | 'held' = 'ready', final = false) => {
  const job = { tenant: 'acme', list, number: ++jobs, tasks: [] };
  const batch = await shard.dequeue(job, programs.names);
  if (batch.kind === 'no_program') return batch.kind;
  const { segments } = await shard.load('acme', job.number, batch.notLoaded);
  const [segment] = segments;
  return segment && (await resumeTask(programs, check, shard, segment, final, () => {})).kind;
};
const standing = async (taskId: string) =>
  callTool(await connectMcpClient(baton.url(), baton.apiKey), 'task_status', { taskId });

test('a worker without the program puts the task back until a worker with it takes it', async () => {
  const taskId = await answered();
  expect(await resume(old)).toBe('held');
  for (let time = 0; time < 20; time++) expect(await resume(old, 'held')).toBeUndefined();
  expect((await standing(taskId)).status).toBe('working');
  expect((await redis.hgetall(await taskKey(taskId)))['tr'], 'none of it is a try').toBe('0');
  expect(await resume(current, 'held')).toBe('completed');
  expect(await standing(taskId)).toMatchObject({ status: 'completed', result: { value: 'v' } });
});

test('a task that waits for its program can be cancelled, and leaves every list', async () => {
  const taskId = await answered();
  expect(await resume(old)).toBe('held');
  await callTool(await connectMcpClient(baton.url(), baton.apiKey), 'cancel_task', { taskId });
  expect(await redis.zcard('baton:{s0}:t:acme:held')).toBe(0);
  expect(await resume(current, 'held')).toBeUndefined();
});

test('a segment that crashes its worker each time fails its task with the reason, and is never retried forever', async () => {
  const taskId = await answered();
  await redis.hset(await taskKey(taskId), 'tr', 8);
  expect(await resume(current)).toBe('broken');
  const { error } = await standing(taskId);
  expect(error).toMatchObject({ code: 'internal' });
  expect(error.message).toContain('again and again');
  expect(await resume(current)).toBeUndefined();
});

test('a task whose answer has no turn to be checked is postponed: no try, no outcome, and a later run completes it', async () => {
  const client = await connectMcpClient(baton.url(), baton.apiKey);
  // A schema that no shortcut decides: a thread checks the answer.
  const schema = { type: 'object', allOf: [{ required: ['a'] }] };
  const requestParameters = { messages: [{ role: 'user', content: 'x' }], schema };
  const delegatedCallDetails = { originalCommand: 'c', serviceType: 'generateObject', requestParameters };
  const { interactionId, taskId } = await callTool(client, 'agent_llm', { delegatedCallDetails });
  await callTool(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ a: 1 }),
    waitMs: 0,
  });
  const properties = Array.from({ length: 600 }, (_, n) => [`p${n}`, { pattern: `a{1,1000}${n}` }]);
  const endless = { type: 'object', properties: Object.fromEntries(properties) };
  await expect(check.requireUsableSchema('acme', endless, 'schema')).rejects.toThrow('longer than 1000 ms');

  const job = { tenant: 'acme', list: 'ready' as const, number: ++jobs, tasks: [] };
  const batch = await shard.dequeue(job, current.names);
  if (batch.kind === 'no_program') throw new Error('no task was dequeued');
  const [first] = (await shard.load('acme', job.number, batch.notLoaded)).segments;
  if (first === undefined) throw new Error('no task was loaded');
  const end = await resumeTask(current, check, shard, first, true, () => {});
  expect(end).toMatchObject({ kind: 'postponed', error: { code: 'limit_checks' } });
  const record = await redis.hgetall(await taskKey(taskId));
  expect(record['tr'], 'it is no try').toBe('0');
  expect(
    Object.keys(record).filter((field) => field.startsWith('j:')),
    'no check is recorded',
  ).toEqual(['j:0']);

  const later = new CallerSchemaValidator();
  const [again] = (await shard.load('acme', job.number, [taskId])).segments;
  expect(again && (await resumeTask(current, later, shard, again, true, () => {})).kind).toBe('completed');
  await later.close();
  expect(await standing(taskId)).toMatchObject({ status: 'completed', result: { response: { a: 1 } } });
});
