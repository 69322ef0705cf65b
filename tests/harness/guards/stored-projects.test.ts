import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../in-process-deployment.ts';
import { callTool, connectMcpClient } from '../mcp-client.ts';
import { StoredProjectChecker } from './stored-projects.ts';

/** Each kind of damage to a stored project, done past Baton, is found. */
let baton: InProcessDeployment;
let redis: Redis;
const KEY = 'baton:{s0}:t:acme:project:shop';

beforeAll(async () => {
  // What this test breaks must not fail its own end.
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1, writesKeys: true });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const client = await connectMcpClient(baton.url(), baton.apiKey);
  for (const title of ['One', 'Two'])
    await callTool(client, 'add_task', { projectRoot: 'shop', title, description: 'd' });
  await callTool(client, 'add_subtask', { projectRoot: 'shop', id: 1, title: 'Part' });
});
afterAll(async () => {
  redis.disconnect();
  await baton.stop();
});

const task = async (id: number) => JSON.parse((await redis.hget(KEY, `task:${id}:master`)) ?? '');
const changed = async (id: number, change: object) =>
  redis.hset(KEY, `task:${id}:master`, JSON.stringify({ ...(await task(id)), ...change }));
const part = { id: 1, title: 'Part', description: '', status: 'pending', dependencies: [] };

async function violations(): Promise<string[]> {
  const checker = new StoredProjectChecker(baton.redisUrl);
  try {
    return await checker.findViolations();
  } finally {
    checker.close();
  }
}

test('a project that Baton wrote has no violation', async () => {
  expect((await task(1)).subtasks).toHaveLength(1);
  expect(await violations()).toEqual([]);
});

test.each([
  ['two subtasks of one id', () => changed(1, { subtasks: [part, part] }), 'two subtasks have id 1.1'],
  ['an unknown dependency', () => changed(2, { dependencies: [9] }), 'depends on 9, which does not exist'],
  [
    'a cycle',
    async () => [await changed(1, { dependencies: [2] }), await changed(2, { dependencies: [1] })],
    'depend on each other',
  ],
  ['an unknown status', () => changed(2, { status: 'perhaps' }), "'perhaps' of 2 is no status"],
  [
    'another parent',
    () => changed(1, { subtasks: [{ ...part, parentTaskId: 2 }] }),
    '1.1 says that its parent is 2',
  ],
  ['a task of no tag', async () => redis.hset(KEY, 'task:7:master', '{}'), 'task:7:master is of nothing'],
  ['another index', () => redis.hset(KEY, 'index:0:master', '{}'), 'its field index:0:master is {}'],
  ['other bytes', () => changed(2, { description: 'longer' }), 'bytes and has'],
])('%s is a violation', async (_what, damage, violation) => {
  const before = await redis.hgetall(KEY);
  await damage();
  expect((await violations()).join('\n')).toContain(violation);
  await redis.del(KEY);
  await redis.hset(KEY, before);
  expect(await violations()).toEqual([]);
});
