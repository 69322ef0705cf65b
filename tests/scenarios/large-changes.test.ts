import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';

/** A change of many tasks is written in parts, on any replica, and counts against the rate by what it changes. */
const TASKS = 1_000;

let baton: InProcessDeployment;
let redis: Redis;

beforeAll(async () => {
  const limits = { requestsPerSecond: 5, burst: 1_000, requestBytes: 4 * 1_048_576 };
  baton = await InProcessDeployment.start({ gateways: 2, workers: 0, limits });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const tasks = Array.from({ length: TASKS }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    details: 'x'.repeat(500),
  }));
  const reply = await fetch(`${baton.url()}/v1/projects/plan`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  if (reply.status !== 200) throw new Error(await reply.text());
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

async function call(name: string, args: object, replica = 0): Promise<AnyJson> {
  const params = { name, arguments: { projectRoot: 'plan', ...args } };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { status, body } = await postJsonRpc(baton.url(replica), baton.apiKey, request);
  return status === 200 ? body.result.structuredContent : { error: body.error.data };
}

const tokens = async (tenant = '*') => {
  const [key = ''] = await redis.keys(`*:t:${tenant}:rates`);
  return Number(await redis.hget(key.replace(/:rates$/, ''), 'tokens'));
};

test('copies and renamed tags hold what they held, on both replicas, while others change the project', async () => {
  const before = await tokens();
  const others = async () => {
    for (let n = 0; n < 20; n++)
      expect(
        (await call('set_task_status', { id: `${n + 1}`, status: 'review', tag: 'master' }, 1)).error,
      ).toBeUndefined();
  };
  const [copied] = await Promise.all([
    call('copy_tag', { sourceName: 'master', targetName: 'copy' }),
    others(),
  ]);
  expect(copied.error).toBeUndefined();
  expect((await call('rename_tag', { oldName: 'copy', newName: 'renamed' }, 1)).error).toBeUndefined();
  // The copy of 1,000 tasks takes 15 tokens and more, the renaming twice as many, and 22 calls one each.
  expect(before - (await tokens())).toBeGreaterThan(60);
  for (const replica of [0, 1]) {
    const { tags } = await call('list_tags', {}, replica);
    expect(tags.map(({ name, taskCount }: AnyJson) => [name, taskCount])).toEqual([
      ['master', TASKS],
      ['renamed', TASKS],
    ]);
    const { task } = await call('get_task', { id: '1000', tag: 'renamed' }, replica);
    expect(task).toMatchObject({ title: 'Task 1000', details: 'x'.repeat(500) });
  }
  expect(await redis.keys('*:staged:*')).toEqual([]);
});

test('who changes many tasks again and again is refused by the rate', async () => {
  let refused: AnyJson;
  let renamed = 0;
  for (; renamed < 60 && refused === undefined; renamed++) {
    const [oldName, newName] = renamed % 2 === 0 ? ['renamed', 'other'] : ['other', 'renamed'];
    refused = (await call('rename_tag', { oldName, newName })).error;
  }
  expect(refused).toMatchObject({ code: 'limit_rate' });
  // Of single tokens it could do nearly a thousand.
  expect(renamed).toBeLessThan(40);
});

test('who checks the dependencies of many tasks is counted by them', async () => {
  const tenant = await baton.addTenant('checks', { requestsPerSecond: 0.001, burst: 10_000 });
  const tasks = Array.from({ length: 5_120 }, (_, at) => ({ id: at + 1, title: `Task ${at + 1}` }));
  const send = (path: string, method: string, json: object) =>
    fetch(`${baton.url()}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${tenant}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
  expect((await send('/projects/long', 'PUT', { master: { tasks } })).status).toBe(200);
  const left = async () => {
    // A call is counted behind its reply, and before the next one of its tenant.
    expect((await send('/tools/list_tags', 'POST', { projectRoot: 'long' })).status).toBe(200);
    return Math.round(await tokens('checks'));
  };
  const before = await left();
  for (const tool of ['validate_dependencies', 'fix_dependencies']) {
    const reply = await send(`/tools/${tool}`, 'POST', { projectRoot: 'long' });
    expect(await reply.json()).toMatchObject({ checked: 5_120 });
  }
  expect(before - (await left()), 'two calls, a list, and twenty for each').toBe(2 + 1 + 2 * 20);
});
