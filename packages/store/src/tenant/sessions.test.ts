import { expect, test } from 'vitest';
import { openFixture } from '../testing/fixture.ts';
import { errorCode, type TestTenant } from '../testing/test-tenant.ts';
import { SESSION_TTL, SUBSCRIPTION_GRACE, SUBSCRIPTION_TTL } from '../records/ttl.ts';

const fixture = await openFixture();
const { redis } = fixture;

const uri = (n: number) => `baton://projects/p/tasks/${n}`;
const limitOf = async (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { details: { limit: string } }) => error.details.limit,
  );

/** Whatever a tenant's sessions have left in Redis. */
const left = async (testTenant: TestTenant) =>
  (await redis.keys(`${testTenant.keys.record}:*`)).filter((key) =>
    /:(session:|subscribers|ended)/.test(key),
  );

test('a session has what it subscribed to, each once, until it unsubscribes; then nothing is left of it', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  expect(await sessions.refreshSubscriptions('a')).toEqual([]);
  for (const n of [1, 2, 1]) await sessions.subscribe('a', uri(n));
  expect((await sessions.refreshSubscriptions('a')).sort()).toEqual([uri(1), uri(2)]);
  expect(await sessions.refreshSubscriptions('b')).toEqual([]);
  for (const n of [1, 2, 3]) await sessions.unsubscribe('a', uri(n));
  expect(await sessions.refreshSubscriptions('a')).toEqual([]);
  expect(await left(testTenant)).toEqual([]);
});

test('subscriptions are bounded by number and by bytes, and what is there already is never refused', async () => {
  const { sessions } = (await fixture.createTenant()).store;
  for (let n = 0; n < 100; n++) await sessions.subscribe('many', uri(n));
  expect(await limitOf(sessions.subscribe('many', uri(100)))).toBe('subscriptions');
  await sessions.subscribe('many', uri(7));
  await sessions.unsubscribe('many', uri(7));
  await sessions.subscribe('many', uri(100));
  for (let n = 0; n < 4; n++) await sessions.subscribe('long', `${n}${'x'.repeat(16_000)}`);
  expect(await limitOf(sessions.subscribe('long', `4${'x'.repeat(16_000)}`))).toBe('subscriptionBytes');
  await sessions.subscribe('long', uri(1));
});

/** A thousand sessions of a tenant with a subscription each, last about so many milliseconds ago. */
async function crowd(testTenant: TestTenant, idleFor: (n: number) => number): Promise<void> {
  const { sessions } = testTenant.store;
  const ids = Array.from({ length: 1_000 }, (_, n) => `s${n}`);
  await Promise.all(ids.map((id) => sessions.subscribe(id, uri(1))));
  const till = Date.now() + SUBSCRIPTION_TTL;
  const scores = ids.flatMap((id, n) => [till - idleFor(n), id]);
  await redis.zadd(testTenant.keys.subscribers, 'XX', ...scores);
}

test('a thousand sessions of a tenant may have subscriptions, and one whose time is over makes room', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  await crowd(testTenant, () => 0);
  expect(await limitOf(sessions.subscribe('another', uri(1)))).toBe('subscribedSessions');
  await sessions.subscribe('s7', uri(2));
  await redis.zadd(testTenant.keys.subscribers, 'XX', 1, 's8');
  await sessions.subscribe('another', uri(1));
});

test('of a thousand that which held no stream for longest makes room, and none that held one within the grace', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  const idle = new Map([
    [3, SUBSCRIPTION_GRACE + 30_000],
    [5, SUBSCRIPTION_GRACE + 60_000],
    [7, SUBSCRIPTION_GRACE - 30_000],
  ]);
  await crowd(testTenant, (n) => idle.get(n) ?? 0);
  const kept = async () =>
    (await redis.keys(testTenant.keys.session('*'))).map((key) => key.split(':').at(-1));
  await sessions.subscribe('first', uri(1));
  expect(await sessions.refreshSubscriptions('first')).toEqual([uri(1)]);
  expect(await kept()).not.toContain('s5');
  expect(await kept()).toContain('s3');
  // It comes back before there is need for its room.
  await sessions.refreshSubscriptions('s3');
  expect(await limitOf(sessions.subscribe('second', uri(1)))).toBe('subscribedSessions');
  expect(await kept()).toHaveLength(1_000);
  expect(await sessions.refreshSubscriptions('s7')).toEqual([uri(1)]);
  await sessions.end('s9');
  await sessions.subscribe('second', uri(1));
});

test('one key that has all the room makes some for every other, up to an even share, and never for itself', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  const open = (key: string, n: number) => sessions.subscribe(`${key}.${n}`, uri(1));
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => open('mole', n)));
  expect(await limitOf(open('mole', 1_000))).toBe('subscribedSessions');
  for (let n = 0; n < 10; n++) await open('ann', n);
  const all = await redis.zrange(testTenant.keys.subscribers, '0', '-1');
  expect(all.filter((id) => id.startsWith('ann.'))).toHaveLength(10);
  expect(all).toHaveLength(1_000);
  expect(await redis.exists(...all.map((id) => testTenant.keys.session(id)))).toBe(1_000);
  await Promise.all(Array.from({ length: 490 }, (_, n) => open('ann', 10 + n)));
  expect(await limitOf(open('ann', 500)), 'it has its half').toBe('subscribedSessions');
  await open('bob', 0);
});

test('many that want the room of a few at once get it exactly', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  await crowd(testTenant, (n) => (n < 20 ? 2 * SUBSCRIPTION_GRACE : 0));
  const limits = await Promise.all(
    Array.from({ length: 50 }, (_, n) => limitOf(sessions.subscribe(`new-${n}`, uri(1)))),
  );
  expect(limits.filter((limit) => limit === undefined)).toHaveLength(20);
  expect(limits.filter((limit) => limit === 'subscribedSessions')).toHaveLength(30);
  const left = await redis.zrange(testTenant.keys.subscribers, '0', '-1');
  expect(left).toHaveLength(1_000);
  expect(left.filter((id) => /^s1?\d$/.test(id))).toEqual([]);
  expect((await redis.keys(testTenant.keys.session('*'))).toSorted()).toEqual(
    left.map((id) => testTenant.keys.session(id)).toSorted(),
  );
});

test('subscriptions live on while their session is about, and no record lives for ever', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  await sessions.subscribe('a', uri(1));
  const { subscribers, ended } = testTenant.keys;
  for (const key of [testTenant.keys.session('a'), subscribers]) await redis.pexpire(key, 60_000);
  await redis.zadd(subscribers, 'XX', 1, 'a');
  await sessions.refreshSubscriptions('a');
  for (const key of [testTenant.keys.session('a'), subscribers])
    expect(await redis.pttl(key)).toBeGreaterThan(SUBSCRIPTION_TTL - 60_000);
  expect(Number(await redis.zscore(subscribers, 'a'))).toBeGreaterThan(
    Date.now() + SUBSCRIPTION_TTL - 60_000,
  );
  await sessions.end('b');
  expect(await redis.pttl(ended)).toBeGreaterThan(SESSION_TTL - 60_000);
});

test('what has ended can neither subscribe nor hold a stream, and is told to those who listen', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  const received: string[] = [];
  await sessions.onSessionEnded({ onMessage: (id) => received.push(id), onReconnect: () => {} });
  await sessions.subscribe('a', uri(1));
  expect(await sessions.hasEnded('a')).toBe(false);
  await sessions.end('a');
  await sessions.end('a');
  expect(await sessions.hasEnded('a')).toBe(true);
  expect(await errorCode(sessions.subscribe('a', uri(1)))).toBe('session_not_found');
  expect(await errorCode(sessions.refreshSubscriptions('a'))).toBe('session_not_found');
  expect(await left(testTenant)).toEqual([testTenant.keys.ended]);
  expect(received).toEqual(['a', 'a']);
});

test('ten thousand endings are remembered, the latest, and those of other tenants apart', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  const past = Array.from({ length: 10_000 }, (_, n) => [Date.now() + 60_000 + n, `old-${n}`]).flat();
  await redis.zadd(testTenant.keys.ended, ...past);
  await testTenant.store.sessions.end('new');
  expect(await redis.zcard(testTenant.keys.ended)).toBe(10_000);
  expect(await testTenant.store.sessions.hasEnded('new')).toBe(true);
  expect(await testTenant.store.sessions.hasEnded('old-0')).toBe(false);
  expect(await other.store.sessions.hasEnded('new')).toBe(false);
});
