import { formatInteractionId, parseApiKey, type Scope } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode, llmWait, type TestTenant } from '../testing/test-tenant.ts';

/** The rate of a tenant is divided among the keys that call; debt is granted to answers that somebody waits for. */
const fixture = await openFixture();
const { redis } = fixture;

/** So slow that nothing refills while a test runs. */
const SLOW = { requestsPerSecond: 1, burst: 100 };
const NOBODYS = '00000000-0000-8000-8000-000000000001';

/** Calls of a principal's key until one is refused, at most `most`; how many were admitted. */
async function callUntilRefused(testTenant: TestTenant, principal: string, most = 1_000): Promise<number> {
  for (let calls = 0; calls < most; calls++)
    if ((await errorCode((await testTenant.caller(principal)).admit(['mcp']))) !== 'done') return calls;
  return most;
}

const tokens = async (testTenant: TestTenant) => Number(await redis.hget(testTenant.keys.tenant, 'tokens'));

test("a tenant's only key has all of its burst, and not one call more", async () => {
  const testTenant = await fixture.createTenant(SLOW);
  expect(await callUntilRefused(testTenant, 'ann')).toBe(100);
});

test('a key that has taken all of the rate leaves every other its share of it', async () => {
  const testTenant = await fixture.createTenant(SLOW);
  await callUntilRefused(testTenant, 'mole');
  expect(await callUntilRefused(testTenant, 'ann'), 'of two').toBe(50);
  expect(await callUntilRefused(testTenant, 'bob'), 'of three').toBe(33);
  expect(await callUntilRefused(testTenant, 'mole')).toBe(0);
});

test('beyond its share a key is admitted while more than half of the burst is left to others', async () => {
  const testTenant = await fixture.createTenant(SLOW);
  await callUntilRefused(testTenant, 'ann', 10);
  expect(await callUntilRefused(testTenant, 'mole')).toBe(50);
  expect(await callUntilRefused(testTenant, 'ann'), 'what it has not used of its half').toBe(45);
});

test('a refusal names the limit, how many keys share it, and when to repeat', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 10, burst: 10 });
  await callUntilRefused(testTenant, 'ann');
  await callUntilRefused(testTenant, 'mole');
  const refused = (await testTenant.caller('mole')).admit(['mcp']);
  await expect(refused).rejects.toMatchObject({
    code: 'limit_rate',
    message: expect.stringContaining("'requestsPerSecond' of 10, shared by 2 keys"),
    details: { limit: 'requestsPerSecond', most: 10, keys: 2, retryAfterMs: expect.any(Number) },
  });
});

test('keys that begin at once cannot overdraw the rate of their tenant without an end', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1, burst: 2 });
  for (let key = 0; key < 40; key++) await callUntilRefused(testTenant, `principal-${key}`, 10);
  expect(await tokens(testTenant)).toBeGreaterThan(-40);
});

test('a body of a mebibyte is admitted with the last token, and takes what 65 requests take', async () => {
  const testTenant = await fixture.createTenant(SLOW);
  const admit = async (bytes: number) =>
    errorCode((await testTenant.caller('ann', ['mcp'], bytes)).admit(['mcp']));
  for (const left of [35]) {
    expect(await admit(1_048_576)).toBe('done');
    expect(Math.floor(await tokens(testTenant))).toBe(left);
  }
  expect(await admit(16_383)).toBe('done');
  expect(Math.floor(await tokens(testTenant))).toBe(34);
  expect(await callUntilRefused(testTenant, 'ann', 33)).toBe(33);
  expect(await admit(1_048_576)).toBe('done');
  expect(await callUntilRefused(testTenant, 'ann')).toBe(0);
  expect(await callUntilRefused(testTenant, 'bob'), "another key's half").toBe(50);
});

test('a share that is whole again leaves the set, and the set ends by itself', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1_000, burst: 1_000 });
  await callUntilRefused(testTenant, 'ann', 1);
  await redis.zadd(testTenant.keys.rates, 1, 'revoked');
  await callUntilRefused(testTenant, 'bob', 1);
  expect(await redis.zscore(testTenant.keys.rates, 'revoked')).toBeNull();
  expect(await redis.pttl(testTenant.keys.rates)).toBeGreaterThan(0);
});

test('calls of several keys in one command count for each of them', async () => {
  const testTenant = await fixture.createTenant(SLOW);
  const callers: CallerAdmission[] = [];
  for (const principal of ['ann', 'bob', 'ann', 'bob']) callers.push(await testTenant.caller(principal));
  await Promise.all(callers.map((caller) => caller.admit(['mcp'])));
  expect(await tokens(testTenant)).toBe(96);
  expect(await redis.zcard(testTenant.keys.rates)).toBe(2);
});

/** What a principal without a token of its own, in a tenant without any, may still post. */
async function exhausted(): Promise<{ testTenant: TestTenant; pending: string; answered: string }> {
  const testTenant = await fixture.createTenant(SLOW);
  const [pending, answered] = [await testTenant.openTask(), await testTenant.openTask()];
  await testTenant.answer(answered);
  await callUntilRefused(testTenant, 'ann');
  await callUntilRefused(testTenant, 'bob');
  return { testTenant, pending, answered };
}

const KINDS = {
  'to nothing': ({ pending: _ }: { pending: string; answered: string }) => NOBODYS,
  'to what was answered': ({ answered }: { answered: string }) => formatInteractionId(answered, 1),
  'to what the task never asked': ({ pending }: { pending: string }) => formatInteractionId(pending, 7),
};

const WAYS = ['accept', 'chunk', 'admit'] as const;

function post(testTenant: TestTenant, way: (typeof WAYS)[number], id: string, principal: string) {
  return errorCode(
    testTenant.caller(principal).then((caller): Promise<unknown> => {
      if (way === 'admit') return caller.admit(['mcp'], id);
      if (way === 'chunk')
        return testTenant.interactions.appendChunk(caller, { interactionId: id, sequence: 0, delta: 'x' });
      const answer = { interactionId: id, text: '"no"', fingerprint: 'f', channel: '' };
      return testTenant.interactions.accept(caller, answer);
    }),
  );
}

test.each(Object.keys(KINDS).flatMap((kind) => WAYS.map((way) => [kind, way] as const)))(
  'an answer %s gets no debt by %s: it is refused as a call is',
  async (kind, way) => {
    const { testTenant, ...ids } = await exhausted();
    const before = await tokens(testTenant);
    expect(await post(testTenant, way, KINDS[kind as keyof typeof KINDS](ids), 'ann')).toBe('limit_rate');
    expect(await tokens(testTenant)).toBe(before);
  },
);

test.each(WAYS)('an answer to what is another principal’s gets no debt by %s', async (way) => {
  const { testTenant, pending } = await exhausted();
  expect(await post(testTenant, way, formatInteractionId(pending, 1), 'bob')).toBe('limit_rate');
});

test.each(WAYS)(
  'an answer that is waited for is taken by %s when no call is, and a chunk of it is refused as a call is',
  async (way) => {
    const { testTenant, pending } = await exhausted();
    const expected = way === 'chunk' ? 'limit_rate' : 'done';
    expect(await post(testTenant, way, formatInteractionId(pending, 1), 'ann')).toBe(expected);
  },
);

test('a key with the scope agent may overdraw the rate for whoever waits', async () => {
  const { testTenant, pending } = await exhausted();
  const agent: Scope[] = ['agent'];
  const { key } = await testTenant.store.apiKeys.create({ name: 'a', scopes: agent });
  const caller = () => testTenant.store.caller(parseApiKey(key)!, 1);
  while ((await errorCode(caller().admit(agent))) === 'done');
  const id = formatInteractionId(pending, 1);
  expect(await errorCode(caller().admit(agent, id))).toBe('done');
});

test('the debt of one key, however deep, takes no other key’s share', async () => {
  const testTenant = await fixture.createTenant({ requestsPerSecond: 1, burst: 20 });
  const taskId = await testTenant.openTask({ waits: [llmWait('0')] }, await testTenant.caller('mole'));
  const id = formatInteractionId(taskId, 1);
  const answer = async () => (await testTenant.caller('mole')).admit(['mcp'], id);
  while ((await errorCode(answer())) === 'done');
  expect(await tokens(testTenant), 'ten bursts').toBeLessThan(-190);
  expect(await callUntilRefused(testTenant, 'ann')).toBe(10);
});
