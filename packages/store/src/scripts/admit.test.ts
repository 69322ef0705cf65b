import { formatInteractionId, type Limits, parseApiKey, type Scope } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import {
  ACCEPT_ANSWER,
  ADMIT,
  ADMIT_ANSWER,
  APPEND_CHUNK,
  OPEN,
  READ_TASK_AND_REGISTER_WAITER,
  UPSERT_TENANT,
} from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode, type TestTenant, newTask } from '../testing/test-tenant.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

/** The ways in: each admits by its own script. */
const WAYS = {
  admit: (_guest: TestTenant, caller: CallerAdmission) => caller.admit(['mcp']),
  admitAnswer: (_guest: TestTenant, caller: CallerAdmission, taskId: string) =>
    caller.admit(['mcp'], formatInteractionId(taskId, 1)),
  open: (testTenant: TestTenant, caller: CallerAdmission) => testTenant.tasks.open(caller, newTask()),
  accept: (testTenant: TestTenant, caller: CallerAdmission, taskId: string) =>
    testTenant.answer(taskId, 1, { as: caller }),
  chunk: (testTenant: TestTenant, caller: CallerAdmission, taskId: string) =>
    testTenant.interactions.appendChunk(caller, {
      interactionId: formatInteractionId(taskId, 1),
      sequence: 0,
      delta: 'y',
    }),
  read: (testTenant: TestTenant, caller: CallerAdmission, taskId: string) =>
    testTenant.tasks.readFor(caller, ['mcp'], taskId),
};

const REFUSALS: Record<string, (testTenant: TestTenant) => Promise<CallerAdmission>> = {
  unauthenticated: async (testTenant) => {
    const { key, id } = await testTenant.store.apiKeys.create({ name: 'gone', scopes: ['mcp'] });
    await testTenant.store.apiKeys.revoke(id);
    return testTenant.store.caller(parseApiKey(key)!, 1);
  },
  insufficient_scope: (testTenant) => testTenant.caller('ann', ['admin']),
  tenant_suspended: async (testTenant) => {
    await fixture.operators.update(testTenant.store.id, { suspended: true });
    return testTenant.caller();
  },
  limit_size: (testTenant) => testTenant.caller('ann', ['mcp'], 2_000_000),
  limit_rate: async (testTenant) => {
    await redis.hset(testTenant.keys.tenant, { tokens: -100, filled: 9_999_999_999_999, burst: 5 });
    return testTenant.caller();
  },
};

const CASES = Object.keys(REFUSALS).flatMap((code) => Object.keys(WAYS).map((way) => [way, code] as const));

test.each(CASES)('%s is refused with %s, and nothing is written', async (way, code) => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const caller = await REFUSALS[code]!(testTenant);
  const before = await fixture.contents();
  expect(await errorCode(WAYS[way as keyof typeof WAYS](testTenant, caller, taskId))).toBe(code);
  expect(await fixture.contents()).toEqual(before);
});

test.each(['unauthenticated', 'tenant_suspended', 'limit_size', 'limit_rate'])(
  'a dry run replies %s before there is a call',
  async (code) => {
    const testTenant = await fixture.createTenant();
    const caller = await REFUSALS[code]!(testTenant);
    expect(await errorCode(caller.dryRunAdmission())).toBe(code);
  },
);

test('a dry run takes no token of the rate, and its caller is admitted afterwards', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1, burst: 1 });
  const caller = await testTenant.caller();
  const before = await fixture.contents();
  for (let n = 0; n < 5; n++) await caller.dryRunAdmission();
  expect(await fixture.contents()).toEqual(before);
  expect(caller.admitted).toBe(false);
  expect(await errorCode(caller.admit(['mcp']))).toBe('done');
  expect(await errorCode((await testTenant.caller()).admit(['mcp'])), 'the one call was').toBe('limit_rate');
  expect(await errorCode((await testTenant.caller()).dryRunAdmission()), 'an answer would be taken').toBe(
    'done',
  );
});

test.each(Object.keys(REFUSALS).filter((code) => !code.startsWith('limit')))(
  'a caller that was admitted before is refused with %s when it is checked again, as a new call would be',
  async (code) => {
    const caller = await REFUSALS[code]!(await fixture.createTenant());
    const before = await fixture.contents();
    expect(await errorCode(caller.recheck(['mcp']))).toBe(code);
    expect(await fixture.contents()).toEqual(before);
  },
);

test('checking a caller again takes no token of the rate, and is never refused for it', async () => {
  const testTenant = await bucket({ requestsPerSecond: 1, burst: 3 }, 3, 0);
  const caller = await testTenant.caller('ann', ['mcp', 'agent']);
  const before = await fixture.contents();
  for (let n = 0; n < 20; n++) {
    const [one, two] = await Promise.all([caller.recheck(['mcp']), caller.recheck(['mcp'])]);
    expect(two).toEqual(one);
    expect(one).toMatchObject({ principal: 'ann', scopes: new Set<Scope>(['mcp', 'agent']) });
  }
  expect(await fixture.contents()).toEqual(before);
  await redis.hset(testTenant.keys.tenant, { tokens: -1_000 });
  await redis.zadd(testTenant.keys.rates, 9e15, 'another', 9e15, await keyIdOf(testTenant));
  expect((await caller.recheck(['mcp'])).principal).toBe('ann');
  expect(await level(testTenant)).toBe(-1_000);
});

test('a key is refused when its tenant has no record, when it has expired, and when another one has its id', async () => {
  const testTenant = await fixture.createTenant();
  const { key, id } = await testTenant.store.apiKeys.create({ name: 'k', scopes: ['mcp'] });
  const attempt = () => errorCode(testTenant.store.caller(parseApiKey(key)!, 1).admit(['mcp']));
  expect(await attempt()).toBe('done');
  await redis.hset(testTenant.keys.credential(id), 'expires', Date.now() - 1);
  expect(await attempt()).toBe('unauthenticated');
  await redis.hset(testTenant.keys.credential(id), { expires: Date.now() + 60_000, digest: 'another' });
  expect(await attempt()).toBe('unauthenticated');
  const homeless = await fixture.createTenant();
  const caller = await homeless.caller();
  await redis.del(homeless.keys.tenant);
  expect(await errorCode(caller.admit(['mcp']))).toBe('unauthenticated');
});

test('a rotated key goes on for its overlap and no longer, and the new one is the same principal', async () => {
  const testTenant = await fixture.createTenant();
  const old = await testTenant.store.apiKeys.create({ name: 'k', principal: 'ann', scopes: ['mcp'] });
  const next = await testTenant.store.apiKeys.rotate(old.id, 0);
  const admitted = (key: string) => testTenant.store.caller(parseApiKey(key)!, 1).admit(['mcp']);
  expect(await errorCode(admitted(old.key))).toBe('unauthenticated');
  expect(await admitted(next.key)).toMatchObject({ principal: 'ann', scopes: new Set<Scope>(['mcp']) });
  const third = await testTenant.store.apiKeys.rotate(next.id, 60);
  expect(await errorCode(admitted(next.key))).toBe('done');
  expect(await errorCode(admitted(third.key))).toBe('done');
});

test('no key is stored as it is shown', async () => {
  const testTenant = await fixture.createTenant();
  const { key } = await testTenant.store.apiKeys.create({ name: 'k', scopes: ['mcp'] });
  const secret = key.split('_')[3]!.slice(0, 32);
  expect(JSON.stringify(await fixture.contents())).not.toContain(secret);
});

/** The id of the key with which `caller()` calls. */
const keyIdOf = async (testTenant: TestTenant) =>
  (await testTenant.caller()).credentialKey.split(':').at(-1) ?? '';

/** A tenant whose bucket, and the share of its key, stand at `tokens` as of `ago` milliseconds before now. */
async function bucket(limits: Partial<Limits>, tokens: number, ago: number): Promise<TestTenant> {
  const testTenant = await fixture.createTenant(limits);
  await drain(testTenant, tokens, (await redisNow()) - ago);
  return testTenant;
}

/** Puts the share of the tenant's only key to `tokens` as of `since`, and its bucket too, which was filled then unless said otherwise. */
async function drain(testTenant: TestTenant, tokens: number, since: number, filled = since): Promise<void> {
  const [rate, burst] = await redis.hmget(testTenant.keys.tenant, 'requestsPerSecond', 'burst');
  await redis.hset(testTenant.keys.tenant, { tokens, filled });
  const whole = since + ((Number(burst) - tokens) * 1_000) / Number(rate);
  await redis.zadd(testTenant.keys.rates, whole, await keyIdOf(testTenant));
}

/** A bucket that was filled after now by Redis's clock is not refilled, however long a test takes. */
const LATER = 3_600_000;
const redisNow = async () => {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
};

const level = async (testTenant: TestTenant) => Number(await redis.hget(testTenant.keys.tenant, 'tokens'));

test('the bucket refills with time, up to its burst and never above', async () => {
  const slow = { requestsPerSecond: 1, burst: 10 };
  const before = await redisNow();
  const empty = await bucket(slow, -199, 500);
  expect(await errorCode((await empty.caller()).admit(['mcp']))).toBe('limit_rate');
  const retryAfter = Number(recorder.last(ADMIT)[1]);
  expect(retryAfter).toBeLessThanOrEqual(199_500);
  expect(retryAfter).toBeGreaterThanOrEqual(199_500 - ((await redisNow()) - before));

  const from = await redisNow();
  const refilled = await bucket({ ...slow, burst: 1_000 }, 0, 3_000);
  await (await refilled.caller()).admit(['mcp']);
  expect(await level(refilled)).toBeGreaterThanOrEqual(2);
  expect(await level(refilled)).toBeLessThanOrEqual(2 + ((await redisNow()) - from) / 1_000);
  const full = await bucket(slow, 3, 3_600_000);
  await (await full.caller()).admit(['mcp']);
  expect(await level(full)).toBe(9);
});

test('a burst is let through, and not one more', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1, burst: 3 });
  await redis.hset(testTenant.keys.tenant, { tokens: 3, filled: (await redisNow()) + LATER });
  const codes = [];
  for (let call = 0; call < 5; call++)
    codes.push(await errorCode((await testTenant.caller()).admit(['mcp'])));
  expect(codes).toEqual(['done', 'done', 'done', 'limit_rate', 'limit_rate']);
});

test('a clock that was set back takes no tokens away', async () => {
  const testTenant = await bucket({ requestsPerSecond: 1, burst: 10 }, 5, -60_000);
  await (await testTenant.caller()).admit(['mcp']);
  expect(await level(testTenant)).toBe(4);
});

test('an answer is taken where a call is refused for its rate, and goes into debt down to a floor', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1, burst: 2 });
  const [taskId, other] = [await testTenant.openTask(), await testTenant.openTask()];
  await drain(testTenant, -15, await redisNow(), (await redisNow()) + LATER);
  expect(await errorCode((await testTenant.caller()).admit(['mcp']))).toBe('limit_rate');
  await testTenant.answer(taskId);
  expect(await level(testTenant)).toBe(-16);
  await drain(testTenant, -35, await redisNow(), (await redisNow()) + LATER);
  expect(await errorCode(testTenant.answer(other))).toBe('limit_rate');
  const retryAfter = Number(recorder.last(ACCEPT_ANSWER)[1]);
  expect(retryAfter, 'until there is room above the floor').toBeLessThanOrEqual(16_000);
});

test('UPSERT_TENANT creates a tenant once, changes the fields that are named, and leaves the others', async () => {
  const { operators } = fixture;
  await operators.create({ id: 'acme', name: 'Acme', limits: { burst: 7 } });
  expect(await errorCode(operators.create({ id: 'acme' }))).toBe('tenant_exists');
  expect(await errorCode(operators.update('nobody', { suspended: true }))).toBe('tenant_not_found');
  expect(await redis.exists(fixture.keyspace.tenant('nobody').tenant)).toBe(0);
  const changed = await operators.update('acme', { suspended: true, limits: { requestsPerSecond: 3 } });
  expect(changed).toMatchObject({
    name: 'Acme',
    suspended: true,
    limits: { burst: 7, requestsPerSecond: 3 },
  });
  expect((await operators.list(undefined, 1000)).tenants.map(({ id }) => id)).toContain('acme');
  expect(recorder.codes(UPSERT_TENANT)).toEqual(documentedReplyCodes(UPSERT_TENANT));
});

test('every code of ADMIT was reached, and each of its refusals through the scripts that carry it', async () => {
  expect(recorder.codes(ADMIT)).toEqual(documentedReplyCodes(ADMIT));
  const refusals = documentedReplyCodes(ADMIT).filter((code) => code !== 'ok');
  for (const script of [ADMIT_ANSWER, OPEN, ACCEPT_ANSWER, APPEND_CHUNK, READ_TASK_AND_REGISTER_WAITER]) {
    expect(recorder.codes(script), script.name).toEqual(expect.arrayContaining(refusals));
    expect(documentedReplyCodes(script), script.name).toEqual(expect.arrayContaining(refusals));
  }
});

test('a caller that an earlier script admitted is not charged again', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1, burst: 10 });
  const caller = await testTenant.caller();
  await caller.admit(['mcp']);
  const before = await level(testTenant);
  await testTenant.tasks.open(caller, newTask());
  expect(await level(testTenant)).toBe(before);
});

test('a read that admits its caller is charged as the call, tells who it is, and is the only script', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1, burst: 10 });
  const taskId = await testTenant.openTask();
  const [later, caller] = [(await redisNow()) + LATER, await testTenant.caller()];
  await redis.hset(testTenant.keys.tenant, { tokens: 10, filled: later });
  const scripts = recorder.replies(ADMIT).length;
  expect(await testTenant.tasks.readFor(caller, ['mcp'], taskId)).toMatchObject({ taskId, principal: 'ann' });
  expect(caller).toMatchObject({ admitted: true, principal: 'ann' });
  expect(await level(testTenant)).toBe(9);
  await testTenant.tasks.read(caller.heldIdentity(), taskId);
  expect(await level(testTenant), 'a later read of the same call').toBe(9);
  expect(recorder.replies(ADMIT)).toHaveLength(scripts);
  const bob = await testTenant.caller('bob');
  await redis.hset(testTenant.keys.tenant, { filled: later });
  expect(await errorCode(testTenant.tasks.readFor(bob, ['mcp'], taskId))).toBe('task_not_found');
  expect(await level(testTenant)).toBe(8);
  expect(bob.admitted, 'what is not found is told to a caller that was admitted').toBe(true);
});
