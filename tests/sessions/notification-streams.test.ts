import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** What holds for streams that stand for long, and for many: whichever way requests take, they are served the same. */

const LISTEN_MS = 10_000;
const ATTUNE_MS = 120_000;

let baton: InProcessDeployment;
let redis: Redis;
let tenants = 0;
const open = new Set<AbortController>();

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 0 });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterEach(() => {
  for (const one of open) one.abort();
  open.clear();
  vi.useRealTimers();
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

/** A tenant of its own for each test, with a key. */
const tenant = async (limits = {}) => {
  const id = `streams-${++tenants}`;
  const key = await baton.addTenant(id, { requestsPerSecond: 100_000, burst: 100_000, ...limits });
  return { id, key, tenantStore: baton.store.tenant(id) };
};
const rpc = (method: string, params: object, key: string, headers = {}) =>
  postJsonRpc(baton.url(), key, { jsonrpc: '2.0', id: 1, method, params }, headers);
const initialize = async (key: string) => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  return (await rpc('initialize', params, key)).headers.get('mcp-session-id') ?? '';
};
/** A stream that is closed when the test is over. */
const stream = async (session: string, key: string, replica = 0) => {
  const abort = new AbortController();
  open.add(abort);
  const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session };
  return fetch(`${baton.url(replica)}/mcp`, { headers, signal: abort.signal });
};
const idOf = (key: string) => key.split('_')[2] ?? '';
/** Revokes without a message, as if the replica had been disconnected when it was published. */
const revokeWithoutMessage = async (key: string, { tenantStore }: Awaited<ReturnType<typeof tenant>>) =>
  expect(await redis.del(tenantStore.keys.credential(idOf(key)))).toBe(1);
/** The replicas run in this process: intervals that they start from now on are fake timers. */
const holdIntervals = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
const soon = { timeout: 5_000, interval: 5 };

test('a revocation that a replica missed ends the stream once it reaches Redis again [stream-admission]', async () => {
  const ours = await tenant();
  const revoked = await stream(await initialize(ours.key), ours.key);
  await revokeWithoutMessage(ours.key, ours);
  holdIntervals();
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await revoked.text();
});

test('an open stream is admitted again periodically, even when nothing else can be renewed [stream-admission]', async () => {
  const ours = await tenant();
  const session = await initialize(ours.key);
  holdIntervals();
  const revoked = await stream(session, ours.key);
  const { activeChangeChannel } = ours.tenantStore.keys;
  await redis.del(activeChangeChannel);
  // What is no string cannot be renewed as one.
  await redis.lpush(activeChangeChannel, 'x');
  await revokeWithoutMessage(ours.key, ours);
  for (let n = 0; n < 3; n++) await vi.advanceTimersByTimeAsync(LISTEN_MS);
  await revoked.text();
  await redis.del(activeChangeChannel);
});

test("the periodic admission of streams never uses the tenant's rate [stream-admission]", async () => {
  const ours = await tenant({ requestsPerSecond: 1, burst: 20 });
  const keys = [ours.key, await baton.createKey({}, ours.id), await baton.createKey({}, ours.id)];
  const streams: Response[] = [];
  for (const key of keys) streams.push(await stream(await initialize(key), key));
  const bucket = () => redis.hmget(ours.tenantStore.keys.tenant, 'tokens', 'filled');
  const before = await bucket();
  expect(before).not.toContain(null);
  for (let n = 0; n < 20; n++) await redis.publish(ours.tenantStore.keys.admissionChannel, ours.id);
  for (const [at, key] of keys.entries()) {
    await ours.tenantStore.apiKeys.revoke(idOf(key));
    await streams[at]?.text();
  }
  expect(await bucket()).toEqual(before);
});

test('what a session subscribed to is kept for as long as it holds a stream [subscription-survives]', async () => {
  const ours = await tenant();
  const session = await initialize(ours.key);
  holdIntervals();
  await stream(session, ours.key, 1);
  const uri = 'baton://projects';
  expect(
    (await rpc('resources/subscribe', { uri }, ours.key, { 'mcp-session-id': session })).body.result,
  ).toEqual({});
  const { subscribers } = ours.tenantStore.keys;
  const [id = ''] = await redis.zrange(subscribers, '0', '-1');
  const [kept, record] = [Number(await redis.zscore(subscribers, id)), ours.tenantStore.keys.session(id)];
  await redis.zadd(subscribers, 'XX', kept - 86_400_000, id);
  for (const name of [subscribers, record]) await redis.pexpire(name, 60_000);
  await vi.advanceTimersByTimeAsync(ATTUNE_MS);
  await vi.waitFor(async () => {
    expect(Number(await redis.zscore(subscribers, id))).toBeGreaterThanOrEqual(kept);
    for (const name of [subscribers, record]) expect(await redis.pttl(name)).toBeGreaterThan(86_400_000);
  }, soon);
});

test('a session whose end a replica missed loses its stream when its subscriptions are renewed [session-ended]', async () => {
  const ours = await tenant();
  const session = await initialize(ours.key);
  holdIntervals();
  const ended = await stream(session, ours.key, 1);
  const uri = 'baton://projects';
  await rpc('resources/subscribe', { uri }, ours.key, { 'mcp-session-id': session });
  const [id = ''] = await redis.zrange(ours.tenantStore.keys.subscribers, '0', '-1');
  await redis.zadd(ours.tenantStore.keys.ended, Date.now() + 60_000, id);
  await redis.pexpire(ours.tenantStore.keys.ended, 60_000);
  await vi.advanceTimersByTimeAsync(ATTUNE_MS);
  await ended.text();
});

test('a tenant may have a thousand streams on a replica, and each session may open its own again [stream-limit]', async () => {
  const ours = await tenant();
  const sessions: string[] = [];
  const streams: Response[] = [];
  while (sessions.length < 1_000) {
    const more = await Promise.all(Array.from({ length: 50 }, () => initialize(ours.key)));
    streams.push(...(await Promise.all(more.map((session) => stream(session, ours.key)))));
    sessions.push(...more);
  }
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const late = await initialize(ours.key);
  const refused = await stream(late, ours.key);
  expect(refused.status).toBe(429);
  const { error } = (await refused.json()) as AnyJson;
  expect(error.data).toMatchObject({ code: 'limit_streams', most: 1_000 });
  expect((await stream(late, ours.key, 1)).status).toBe(200);
  const again = await stream(sessions[7] ?? '', ours.key);
  expect(again.status).toBe(200);
  await streams[7]?.text();
  expect((await stream(late, ours.key)).status).toBe(429);

  const other = await baton.createKey({}, ours.id);
  expect((await stream(await initialize(other), other)).status, "another key's share is not taken").toBe(200);
  await streams.at(-1)?.text();
  expect((await stream(late, ours.key)).status, 'nor taken back').toBe(429);
}, 60_000);
