import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { CLAIM } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { AGENT, ANN, llmWait, BOB, errorCode, type TestTenant } from '../testing/test-tenant.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { redis, recorder } = fixture;

const lease = (holder?: string, leaseMs = 60_000) => ({ leaseMs, holder });

async function waiting(testTenant: TestTenant) {
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  return { taskId, first: formatInteractionId(taskId, 1), second: formatInteractionId(taskId, 2) };
}

test('a claim can be renewed and ended by its holder alone, and its end leaves nothing in Redis', async () => {
  const testTenant = await fixture.createTenant();
  const { claims, queries } = testTenant.store;
  const { first, second } = await waiting(testTenant);
  const until = await claims.claim(AGENT, first, lease('a'));
  expect(await claims.claim(AGENT, first, lease('a', 90_000))).toBeGreaterThan(until! + 20_000);
  // Names are of their principal: neither a like name nor one that reads the same from the outside is the same holder.
  for (const [identity, holder] of [
    [AGENT, 'b'],
    [AGENT, undefined],
    [ANN, 'a'],
    [{ principal: 'agent-7 a', scopes: AGENT.scopes }, undefined],
  ] as const) {
    expect(await errorCode(claims.claim(identity, first, lease(holder)))).toBe('interaction_claimed');
    expect(await errorCode(claims.claim(identity, first, lease(holder, 0)))).toBe('interaction_claimed');
  }
  const { items } = await queries.pending.records(AGENT, { claim: { max: 5, ...lease('b') } });
  expect(items.map((item) => item.interactionId)).toEqual([second]);
  expect(await claims.claim(AGENT, first, lease('a', 0))).toBeUndefined();
  expect(await claims.claim(AGENT, first, lease('a', 0)), 'what nobody holds is free').toBeUndefined();
  await claims.claim(AGENT, second, lease('b', 0));
  expect(await redis.exists(testTenant.keys.claims, testTenant.keys.holder('agent-7 a'))).toBe(0);
});

test('a holder is forgotten when its lease is over, also of what was answered', async () => {
  const testTenant = await fixture.createTenant();
  const { taskId, first } = await waiting(testTenant);
  await testTenant.store.claims.claim(AGENT, first, lease('a'));
  await testTenant.answer(taskId, 1, { as: testTenant.store.operatorCaller() });
  expect(await redis.zcard(testTenant.keys.claims)).toBe(0);
  const holder = testTenant.keys.holder('agent-7 a');
  expect(await redis.zcard(holder)).toBe(1);
  expect(await redis.pttl(holder)).toBeLessThanOrEqual(60_000);
});

test('only what is pending, and the caller’s to see, is claimed', async () => {
  const testTenant = await fixture.createTenant();
  const { claims, interactions } = testTenant.store;
  const { taskId, first, second } = await waiting(testTenant);
  const code = (id: string, identity = AGENT) => errorCode(claims.claim(identity, id, lease()));
  expect(await code(first, BOB)).toBe('interaction_not_found');
  expect(await code(formatInteractionId(taskId, 3))).toBe('interaction_not_found');
  expect(await code('x')).toBe('interaction_not_found');
  await testTenant.answer(taskId, 1);
  expect(await code(first)).toBe('interaction_already_answered');
  await interactions.cancel(ANN, second);
  expect(await code(second)).toBe('interaction_cancelled');
  const late = formatInteractionId(await testTenant.withLifetimes({ interaction: 0 }).openTask(), 1);
  expect(await code(late)).toBe('interaction_expired');
});

test('a waiting replica is notified once, when something is opened or a claim ends, and costs no script a command before', async () => {
  const testTenant = await fixture.createTenant();
  const { claims, queries } = testTenant.store;
  const { inbox } = fixture.store;
  const watch = () => redis.hget(testTenant.keys.tenant, 'watch');
  const listener = inbox.subscribe(testTenant.keys.pendingTopic);
  const wish = { claim: { max: 1, ...lease('a') }, channel: inbox.channel };
  await queries.pending.records(AGENT, wish);
  await queries.pending.records(AGENT, wish);
  expect(await watch()).toBe(inbox.channel);
  const first = formatInteractionId(await testTenant.openTask(), 1);
  expect(await listener.next(5_000)).toMatchObject({ status: 'input_required' });
  expect(await watch()).toBeNull();
  expect((await queries.pending.records(AGENT, wish)).items).toHaveLength(1);
  expect(await watch(), 'who has found something does not wait').toBeNull();
  const hidden = await queries.pending.records(AGENT, wish);
  expect(hidden.freeInMs).toBeGreaterThan(50_000);
  await claims.claim(AGENT, first, lease('a', 0));
  expect(await listener.next(5_000)).toMatchObject({ status: 'input_required' });
  listener.close();
});

test('a claim finds what is free behind thousands that are claimed, at once', async () => {
  const testTenant = await fixture.createTenant();
  const { keys, store } = testTenant;
  const last = formatInteractionId(await testTenant.openTask(), 1);
  // Older ones, claimed for a minute by somebody.
  const claimed = Array.from({ length: 3_500 }, (_, at) => `claimed-${at}.1|ann`);
  await redis.zadd(keys.pending, ...claimed.flatMap((member) => ['1', member]));
  await redis.zadd(keys.claims, ...claimed.flatMap((member) => [`${Date.now() + 60_000}`, member]));
  const { items } = await store.queries.pending.records(AGENT, { claim: { max: 1, ...lease('b') } });
  expect(items.map(({ interactionId }) => interactionId)).toEqual([last]);
  const none = await store.queries.pending.records(AGENT, { claim: { max: 1, ...lease('b') } });
  expect(none).toMatchObject({ items: [], freeInMs: expect.any(Number) });
  expect(none.nextCursor).toBeUndefined();
});

test('every code of CLAIM was reached', () => {
  expect(recorder.codes(CLAIM)).toEqual(documentedReplyCodes(CLAIM));
});
