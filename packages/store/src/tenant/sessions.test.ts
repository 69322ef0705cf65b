import { expect, test } from 'vitest';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, errorCode, type TestTenant } from '../testing/test-tenant.ts';
import { SESSION_TTL, SUBSCRIPTION_GRACE, SUBSCRIPTION_TTL } from '../records/durations.ts';

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
  (await redis.keys(`${testTenant.keys.tenant}:*`)).filter((key) =>
    /:(session:|subscribers|ended)/.test(key),
  );

test('a session has what it subscribed to, each once, until it unsubscribes; then nothing is left of it', async () => {
  const testTenant = await fixture.createTenant();
  const { sessionSubscriptions } = testTenant.store;
  expect(await sessionSubscriptions.refresh('a')).toEqual([]);
  for (const n of [1, 2, 1]) await sessionSubscriptions.subscribe(ANN, 'a', uri(n));
  expect((await sessionSubscriptions.refresh('a')).sort()).toEqual([uri(1), uri(2)]);
  expect(await sessionSubscriptions.refresh('b')).toEqual([]);
  for (const n of [1, 2, 3]) await sessionSubscriptions.unsubscribe('a', uri(n));
  expect(await sessionSubscriptions.refresh('a')).toEqual([]);
  expect(await left(testTenant)).toEqual([]);
});

test('subscriptions are bounded by number and by bytes, and what is there already is never refused', async () => {
  const { sessionSubscriptions } = (await fixture.createTenant()).store;
  for (let n = 0; n < 100; n++) await sessionSubscriptions.subscribe(ANN, 'many', uri(n));
  expect(await limitOf(sessionSubscriptions.subscribe(ANN, 'many', uri(100)))).toBe('subscriptions');
  await sessionSubscriptions.subscribe(ANN, 'many', uri(7));
  await sessionSubscriptions.unsubscribe('many', uri(7));
  await sessionSubscriptions.subscribe(ANN, 'many', uri(100));
  for (let n = 0; n < 4; n++) await sessionSubscriptions.subscribe(ANN, 'long', `${n}${'x'.repeat(16_000)}`);
  expect(await limitOf(sessionSubscriptions.subscribe(ANN, 'long', `4${'x'.repeat(16_000)}`))).toBe(
    'subscriptionBytes',
  );
  await sessionSubscriptions.subscribe(ANN, 'long', uri(1));
});

/** A thousand sessions of a tenant with a subscription each, last about so many milliseconds ago. */
async function crowd(testTenant: TestTenant, idleFor: (n: number) => number): Promise<void> {
  const { sessionSubscriptions } = testTenant.store;
  const ids = Array.from({ length: 1_000 }, (_, n) => `s${n}`);
  await Promise.all(ids.map((id) => sessionSubscriptions.subscribe(ANN, id, uri(1))));
  const till = Date.now() + SUBSCRIPTION_TTL;
  const scores = ids.flatMap((id, n) => [till - idleFor(n), id]);
  await redis.zadd(testTenant.keys.subscribers, 'XX', ...scores);
}

test('a thousand sessions of a tenant may have subscriptions, and one whose time is over makes room', async () => {
  const testTenant = await fixture.createTenant();
  const { sessionSubscriptions } = testTenant.store;
  await crowd(testTenant, () => 0);
  expect(await limitOf(sessionSubscriptions.subscribe(ANN, 'another', uri(1)))).toBe('subscribedSessions');
  await sessionSubscriptions.subscribe(ANN, 's7', uri(2));
  await redis.zadd(testTenant.keys.subscribers, 'XX', 1, 's8');
  await sessionSubscriptions.subscribe(ANN, 'another', uri(1));
});

test('of a thousand that which held no stream for longest makes room, and none that held one within the grace', async () => {
  const testTenant = await fixture.createTenant();
  const { sessionSubscriptions, sessions } = testTenant.store;
  const idle = new Map([
    [3, SUBSCRIPTION_GRACE + 30_000],
    [5, SUBSCRIPTION_GRACE + 60_000],
    [7, SUBSCRIPTION_GRACE - 30_000],
  ]);
  await crowd(testTenant, (n) => idle.get(n) ?? 0);
  const kept = async () =>
    (await redis.keys(testTenant.keys.session('*'))).map((key) => key.split(':').at(-1));
  await sessionSubscriptions.subscribe(ANN, 'first', uri(1));
  expect(await sessionSubscriptions.refresh('first')).toEqual([uri(1)]);
  expect(await kept()).not.toContain('s5');
  expect(await kept()).toContain('s3');
  // It comes back before there is need for its room.
  await sessionSubscriptions.refresh('s3');
  expect(await limitOf(sessionSubscriptions.subscribe(ANN, 'second', uri(1)))).toBe('subscribedSessions');
  expect(await kept()).toHaveLength(1_000);
  expect(await sessionSubscriptions.refresh('s7')).toEqual([uri(1)]);
  await sessions.end('s9');
  await sessionSubscriptions.subscribe(ANN, 'second', uri(1));
});

test('concurrent sessions never get more room than the limit leaves', async () => {
  const testTenant = await fixture.createTenant();
  const { sessionSubscriptions } = testTenant.store;
  await crowd(testTenant, (n) => (n < 20 ? 2 * SUBSCRIPTION_GRACE : 0));
  const limits = await Promise.all(
    Array.from({ length: 50 }, (_, n) => limitOf(sessionSubscriptions.subscribe(ANN, `new-${n}`, uri(1)))),
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

test('subscriptions live on while their session has a stream, and no record lives for ever', async () => {
  const testTenant = await fixture.createTenant();
  const { sessionSubscriptions, sessions } = testTenant.store;
  await sessionSubscriptions.subscribe(ANN, 'a', uri(1));
  const { subscribers, ended: endedSessionsKey } = testTenant.keys;
  for (const key of [testTenant.keys.session('a'), subscribers]) await redis.pexpire(key, 60_000);
  await redis.zadd(subscribers, 'XX', 1, 'a');
  await sessionSubscriptions.refresh('a');
  for (const key of [testTenant.keys.session('a'), subscribers])
    expect(await redis.pttl(key)).toBeGreaterThan(SUBSCRIPTION_TTL - 60_000);
  expect(Number(await redis.zscore(subscribers, 'a'))).toBeGreaterThan(
    Date.now() + SUBSCRIPTION_TTL - 60_000,
  );
  await sessions.end('b');
  expect(await redis.pttl(endedSessionsKey)).toBeGreaterThan(SESSION_TTL - 60_000);
});

test('an ended session can neither subscribe nor hold a stream, and its end is published', async () => {
  const testTenant = await fixture.createTenant();
  const { sessionSubscriptions, sessions } = testTenant.store;
  const received: string[] = [];
  await sessions.onChange({ onMessage: (id) => received.push(id), onReconnect: () => {} });
  await sessionSubscriptions.subscribe(ANN, 'a', uri(1));
  expect(await sessions.hasEnded('a')).toBe(false);
  await sessions.end('a');
  await sessions.end('a');
  expect(await sessions.hasEnded('a')).toBe(true);
  expect(await errorCode(sessionSubscriptions.subscribe(ANN, 'a', uri(1)))).toBe('session_not_found');
  expect(await errorCode(sessionSubscriptions.refresh('a'))).toBe('session_not_found');
  expect(await left(testTenant)).toEqual([testTenant.keys.ended]);
  expect(received).toEqual(['a', 'a']);
});

test('ten thousand endings are remembered, those of other tenants apart', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  await rememberEnded(testTenant, 10_000, (n) => `a.old-${n}`);
  await testTenant.store.sessions.end('a.new');
  expect(await redis.zcard(testTenant.keys.ended)).toBe(10_000);
  expect(await testTenant.store.sessions.hasEnded('a.new')).toBe(true);
  expect(await other.store.sessions.hasEnded('a.new')).toBe(false);
});

test('a key that ends sessions without end has its own forgotten, and not those of a key that ended few', async () => {
  const testTenant = await fixture.createTenant();
  const { sessions } = testTenant.store;
  await sessions.end('few.first');
  await rememberEnded(testTenant, 9_999, (n) => `many.old-${n}`);
  for (let n = 0; n < 200; n++) await sessions.end(`many.${n}`);
  expect(await redis.zcard(testTenant.keys.ended)).toBe(10_000);
  expect(await sessions.hasEnded('few.first')).toBe(true);
});

/** Ended sessions that end later than any other. */
async function rememberEnded(testTenant: TestTenant, count: number, id: (n: number) => string) {
  const until = Date.now() + SESSION_TTL;
  const past = Array.from({ length: count }, (_, n) => [until + n, id(n)]).flat();
  await redis.zadd(testTenant.keys.ended, ...past);
}
