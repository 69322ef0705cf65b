import { PassThrough } from 'node:stream';
import { createLogger } from '@baton/gateway';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';

let baton: InProcessDeployment;
let redis: Redis;
const lines = new PassThrough();
let said = '';
lines.on('data', (chunk: Buffer) => (said += chunk.toString()));
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, log: createLogger('info', {}, lines) });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

async function send(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; detail?: string }> {
  const reply = await fetch(`${baton.url()}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, ...(text === '' ? {} : JSON.parse(text)) };
}

test('a deletion whose gateway died is said to go on, and a worker ends it', async () => {
  await send('POST', '/tenants', { id: 'leaver' });
  await send('POST', '/tenants/leaver/keys', { name: 'one', scopes: ['mcp'] });
  await send('PATCH', '/tenants/leaver', { suspended: true });
  const { keys } = baton.store.tenant('leaver');
  // What a gateway has written that died right behind the mark.
  await redis.hset(keys.tenant, 'deleted', 1);
  const told = await send('GET', '/tenants/leaver');
  expect([told.status, told.detail]).toEqual([404, expect.stringContaining('is being deleted')]);
  const created = await send('POST', '/tenants', { id: 'leaver' });
  expect([created.status, created.detail]).toEqual([409, expect.stringContaining('is being deleted')]);
  expect(await redis.exists(keys.apiKeys)).toBe(1);

  // Its lease is over: a sweep saw it long ago.
  await redis.hset(keys.tenant, 'deleted', 2);
  await redis.zadd(keys.due, 0, 'leaver');
  await waitUntilOrThrow('the deletion has ended', 20_000, async () => said.includes('tenant_deleted'));
  expect(await redis.keys(`${keys.tenant}*`)).toEqual([keys.tenant]);
  const gone = await send('GET', '/tenants/leaver');
  expect([gone.status, gone.detail]).toEqual([404, expect.stringContaining('was deleted')]);
});
