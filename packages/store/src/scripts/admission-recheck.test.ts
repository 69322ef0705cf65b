import { formatInteractionId, parseApiKey } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { Identity } from '../identity/identity.ts';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, errorCode, newTask, type TestTenant } from '../testing/test-tenant.ts';
import {
  CLAIM,
  FETCH_OR_CLAIM_INTERACTIONS,
  LIST_PENDING_OR_REGISTER_WAITER,
  READ_TASK_AND_REGISTER_WAITER,
  SUBSCRIBE_SESSION,
} from './registry.ts';

const fixture = await openFixture();
const { redis, recorder } = fixture;

interface HeldCall {
  readonly testTenant: TestTenant;
  readonly keyId: string;
  readonly caller: CallerAdmission;
  readonly identity: Identity;
  readonly taskId: string;
}

/** A call that was admitted, of a key that may see one task. */
async function heldCall(): Promise<HeldCall> {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const { apiKeys } = testTenant.store;
  const { id, key } = await apiKeys.create({ name: 'k', principal: 'ann', scopes: ['mcp', 'agent'] });
  const caller = testTenant.store.caller(parseApiKey(key)!, 1);
  return { testTenant, keyId: id, caller, identity: await caller.admit(['mcp', 'agent']), taskId };
}

const ENDS: Record<string, { code: string; end: (held: HeldCall) => Promise<unknown> }> = {
  revoked: {
    code: 'unauthenticated',
    end: ({ testTenant, keyId }) => testTenant.store.apiKeys.revoke(keyId),
  },
  'rotated without an overlap': {
    code: 'unauthenticated',
    end: ({ testTenant, keyId }) => testTenant.store.apiKeys.rotate(keyId, 0),
  },
  expired: {
    code: 'unauthenticated',
    end: ({ testTenant, keyId }) => redis.hset(testTenant.keys.credential(keyId), 'expires', 1),
  },
  suspended: {
    code: 'tenant_suspended',
    end: ({ testTenant }) => fixture.operators.update(testTenant.store.id, { suspended: true }),
  },
  'without its scope': {
    code: 'insufficient_scope',
    end: ({ testTenant, keyId }) => redis.hset(testTenant.keys.credential(keyId), 'scopes', ' admin '),
  },
};

const lease = { max: 5, leaseMs: 60_000 };
const USES: Record<string, (held: HeldCall) => Promise<unknown>> = {
  'a list': ({ testTenant, identity }) => testTenant.store.queries.pending.records(identity, {}),
  'a wait': ({ testTenant, identity }) =>
    testTenant.store.queries.pending.records(identity, { channel: 'inbox' }),
  'a wait with claim': ({ testTenant, identity }) =>
    testTenant.store.queries.pending.records(identity, { channel: 'inbox', claim: lease }),
  'a claim': ({ testTenant, identity, taskId }) =>
    testTenant.store.claims.claim(identity, formatInteractionId(taskId, 1), lease),
  "a task's status": ({ testTenant, identity, taskId }) => testTenant.tasks.read(identity, taskId, 'inbox'),
  "a script's status": ({ testTenant, caller, taskId }) =>
    testTenant.tasks.read(caller.heldIdentity(), taskId, 'inbox'),
  'a subscription': ({ testTenant, identity }) =>
    testTenant.store.sessionSubscriptions.subscribe(identity, 's', 'baton://projects'),
  'a start': ({ testTenant, caller }) => testTenant.tasks.open(caller, newTask()),
  'an answer': ({ testTenant, caller, taskId }) => testTenant.answer(taskId, 1, { as: caller }),
  'a chunk': ({ testTenant, caller, taskId }) =>
    testTenant.interactions.appendChunk(caller, {
      interactionId: formatInteractionId(taskId, 1),
      sequence: 0,
      delta: 'y',
    }),
  history: ({ testTenant, identity }) => testTenant.store.queries.history.records(identity),
};

const CASES = Object.keys(USES).flatMap((use) => Object.keys(ENDS).map((end) => [use, end] as const));

test.each(CASES)(
  '%s of a call that was admitted before its key was %s is refused, and nothing is written',
  async (use, end) => {
    const held = await heldCall();
    await ENDS[end]!.end(held);
    const before = await fixture.contents();
    expect(await errorCode(USES[use]!(held))).toBe(ENDS[end]!.code);
    expect(await fixture.contents()).toEqual(before);
  },
);

test.each(Object.keys(USES))(
  '%s of a call whose key goes on is served, whatever the rate has left',
  async (use) => {
    const held = await heldCall();
    await redis.hset(held.testTenant.keys.tenant, { tokens: -1_000_000_000 });
    expect(await errorCode(USES[use]!(held))).toBe('done');
    expect(Number(await redis.hget(held.testTenant.keys.tenant, 'tokens'))).toBe(-1_000_000_000);
  },
);

test('a key that loses the scope agent while its call goes on sees its own from then on', async () => {
  const held = await heldCall();
  const { testTenant, keyId, identity, taskId } = held;
  const { queries } = testTenant.store;
  const bobs = await testTenant.openTask({}, await testTenant.caller('bob'));
  expect((await queries.pending.records(identity, {})).items).toHaveLength(2);
  await redis.hset(testTenant.keys.credential(keyId), 'scopes', ' mcp ');
  expect((await queries.pending.records(identity, {})).items.map((item) => item.taskId)).toEqual([taskId]);
  expect(await errorCode(testTenant.tasks.read(identity, bobs))).toBe('task_not_found');
});

test('a scope that is lost between the list and the fetch of what it showed hides that, and it is not claimed', async () => {
  const { testTenant, keyId, identity } = await heldCall();
  await testTenant.openTask({}, await testTenant.caller('bob'));
  const { keys } = testTenant;
  const cuts = [
    [`local reply = {'ok'`, `redis.call('HSET', K_credential, 'scopes', ' mcp ') local reply = {'ok'`],
  ] as const;
  const page = await recorder.withMutant(LIST_PENDING_OR_REGISTER_WAITER, cuts, () =>
    testTenant.store.queries.pending.records(identity, { claim: lease }),
  );
  expect(page.items).toHaveLength(1);
  expect(await redis.zcard(keys.claims)).toBe(1);
  expect(await redis.hget(keys.credential(keyId), 'scopes')).toBe(' mcp ');
});

test('every reply tells when the key expires, by Redis, and that it does not', async () => {
  const { testTenant, keyId, identity, taskId } = await heldCall();
  const { queries, apiKeys } = testTenant.store;
  expect(identity.admittedBy?.expiresAt).toBe(Number.POSITIVE_INFINITY);
  const before = performance.now();
  await apiKeys.rotate(keyId, 60);
  for (const use of [
    () => testTenant.tasks.read(identity, taskId),
    () => queries.pending.records(identity, {}),
  ]) {
    identity.admittedBy?.recordExpiry('');
    await use();
    const expiresAt = identity.admittedBy?.expiresAt ?? 0;
    expect(expiresAt).toBeGreaterThanOrEqual(before + 59_000);
    expect(expiresAt).toBeLessThanOrEqual(performance.now() + 61_000);
  }
});

test('a call without a key has none to check', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await fixture.operators.update(testTenant.store.id, { suspended: true });
  expect((await testTenant.tasks.read(ANN, taskId)).taskId).toBe(taskId);
});

/** What a script costs when it checks the key: none of these asks Redis twice. */
test.each([
  ['list', LIST_PENDING_OR_REGISTER_WAITER, 'a wait'],
  ['fetch', FETCH_OR_CLAIM_INTERACTIONS, 'a list'],
  ['claim', CLAIM, 'a claim'],
  ['read', READ_TASK_AND_REGISTER_WAITER, "a task's status"],
  ['subscribe', SUBSCRIBE_SESSION, 'a subscription'],
] as const)('the check of %s is no script of its own', async (_name, script, use) => {
  const held = await heldCall();
  const before = recorder.replies(script).length;
  await redis.config('RESETSTAT');
  await USES[use]!(held);
  const stats = await redis.info('commandstats');
  const scripts = [...stats.matchAll(/cmdstat_(?:evalsha|eval):calls=(\d+)/g)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  expect(recorder.replies(script).length).toBe(before + 1);
  expect(scripts).toBeLessThanOrEqual(use === 'a list' || use === 'a wait' ? 2 : 1);
});
