import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf, call, connect } from '../harness/client.ts';
import { Deployment } from '../harness/deployment.ts';

let baton: Deployment;
let redis: Redis;

beforeAll(async () => {
  baton = await Deployment.start({ gateways: 1, workers: 1 });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis.disconnect();
  await baton.stop();
});

/** A request whose answer takes about a second to check, which is the most that it may take: each item is compared with each other, eight times. Checks take turns. */
const SLOW = {
  messages: [{ role: 'user', content: 'Say a.' }],
  schema: {
    type: 'object',
    properties: { a: { allOf: Array.from({ length: 8 }, () => ({ type: 'array', uniqueItems: true })) } },
  },
};
const ANSWER = answerOf({ a: Array.from({ length: 3_500 }, (_, n) => [n]) });

test('tasks that were handed over and take long are held by their worker, and each is run once', {
  timeout: 60_000,
}, async () => {
  const client = await connect(baton.url(0), baton.apiKey);
  // The first answer has BullMQ call the worker, whose shift the others find.
  const { interactionId } = await call(client, 'bench_echo', { text: 'come' });
  await call(client, 'agent_llm', { interactionId, agentLLMResponse: answerOf({ value: 'x' }) });

  const delegatedCallDetails = {
    originalCommand: 'slow',
    role: 'main',
    serviceType: 'generateObject',
    requestParameters: SLOW,
  };
  const opened = await Promise.all(
    Array.from({ length: 8 }, () => call(client, 'agent_llm', { delegatedCallDetails })),
  );
  await Promise.all(
    opened.map((one) =>
      call(client, 'agent_llm', { interactionId: one.interactionId, agentLLMResponse: ANSWER, waitMs: 0 }),
    ),
  );
  const leased = 'baton:{s0}:leased';
  const longest = async () =>
    Number((await redis.zrange(leased, '0', '-1', 'WITHSCORES')).at(-1) ?? 0) - Date.now();
  expect(await longest(), 'handed over, not fetched').toBeLessThanOrEqual(5_000);
  await expect.poll(longest, { timeout: 10_000 }).toBeGreaterThan(20_000);

  // The last of them waits for its check longer than the lease that it was handed over with.
  for (const { taskId } of opened) {
    const stands = async () => (await call(client, 'task_status', { taskId })).status as string;
    await expect.poll(stands, { timeout: 30_000 }).not.toBe('working');
    const record = await redis.hgetall(`baton:{s0}:t:acme:task:${refOf(taskId)}`);
    expect(record['fe'], 'one segment ran').toBe('2');
  }
});

function refOf(taskId: string): string {
  return Buffer.from(taskId.replaceAll('-', '').slice(0, 28), 'hex').toString('base64url');
}
