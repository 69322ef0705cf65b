import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { Identity } from '../identity/identity.ts';
import { FETCH_OR_CLAIM_INTERACTIONS } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { AGENT, ANN, llmWait, BOB, errorCode, type TestTenant } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis } = fixture;

/** `count` tasks of ann and bob in turn, three interactions each; their ids, oldest first. */
async function crowd(testTenant: TestTenant, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const caller = await testTenant.caller(at % 2 ? 'bob' : 'ann');
    const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1'), llmWait('2')] }, caller);
    ids.push(...[1, 2, 3].map((number) => formatInteractionId(taskId, number)));
  }
  return ids;
}

async function walk(
  testTenant: TestTenant,
  identity: Identity,
  claim?: { max: number; leaseMs: number },
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await testTenant.store.queries.pending.records(identity, { cursor, claim });
    pages.push(page.items.map((item) => item.interactionId));
    cursor = page.nextCursor;
    if (cursor === undefined) return pages;
  }
}

test('a walk through the pages finds every pending interaction once, oldest first', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await crowd(testTenant, 60);
  // All of one moment: what is opened together has one score, and pages must not cut through it.
  for (const member of await redis.zrange(testTenant.keys.pending, '0', '120'))
    await redis.zadd(testTenant.keys.pending, 5, member);
  const pages = await walk(testTenant, AGENT);
  expect(pages.every((page) => page.length <= 50)).toBe(true);
  expect(new Set(pages.flat())).toEqual(new Set(ids));
  expect(pages.flat()).toHaveLength(180);
  expect(await walk(testTenant, AGENT), 'the order is stable').toEqual(pages);
  const created = (await redis.zrange(testTenant.keys.pending, '0', '-1', 'WITHSCORES'))
    .filter((_, at) => at % 2)
    .map(Number);
  expect(created).toEqual([...created].sort((a, b) => a - b));
});

test('a caller that waits is notified of the next interaction, though what the index named was answered before it was fetched', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const { connection } = fixture;
  const straight = connection.evaluate.bind(connection);
  connection.evaluate = async (script, keys, args) => {
    if (script.sha === FETCH_OR_CLAIM_INTERACTIONS.sha) {
      connection.evaluate = straight;
      await testTenant.answer(taskId);
    }
    return straight(script, keys, args);
  };
  const page = await testTenant.store.queries.pending.records(AGENT, { channel: 'inbox' });
  expect(page).toEqual({ items: [] });
  expect(await redis.hget(testTenant.keys.tenant, 'watch')).toBe('inbox');
});

test('what is opened and answered while someone walks is neither repeated nor hides the rest', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await crowd(testTenant, 40);
  const first = await testTenant.store.queries.pending.records(AGENT, {});
  const seen = first.items.map((item) => item.interactionId);
  await testTenant.answer(`${seen[3]!.slice(0, 32)}0000`, Number.parseInt(seen[3]!.slice(32), 16), {
    as: testTenant.store.operatorCaller(),
  });
  const late = await testTenant.openTask();
  const rest = await testTenant.store.queries.pending.records(AGENT, { cursor: first.nextCursor });
  const more = await testTenant.store.queries.pending.records(AGENT, { cursor: rest.nextCursor });
  const all = [
    ...seen,
    ...rest.items.map((item) => item.interactionId),
    ...more.items.map((item) => item.interactionId),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(new Set(all)).toEqual(new Set([...ids, formatInteractionId(late, 1)]));
});

test('without the scope agent a caller sees its own, and of another tenant nobody sees any', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  const ids = await crowd(testTenant, 4);
  // Tasks of one millisecond are listed by their ids.
  expect((await walk(testTenant, ANN)).flat().sort(byPlace(ids))).toEqual([
    ...ids.slice(0, 3),
    ...ids.slice(6, 9),
  ]);
  expect((await walk(testTenant, BOB)).flat()).toHaveLength(6);
  expect((await walk(testTenant, { principal: 'eve', scopes: new Set(['mcp']) })).flat()).toEqual([]);
  expect((await walk(other, AGENT)).flat()).toEqual([]);
});

const byPlace = (ids: readonly string[]) => (a: string, b: string) => ids.indexOf(a) - ids.indexOf(b);

test('a claim hides from other claims, never from a list without claims, never blocks an answer, and ends by itself', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await crowd(testTenant, 2);
  const { queries } = testTenant.store;
  const claim = { max: 4, leaseMs: 60_000 };
  const mine = await queries.pending.records(AGENT, { claim });
  const others = await queries.pending.records(
    { principal: 'agent-8', scopes: new Set(['agent']) },
    { claim },
  );
  expect(mine.items).toHaveLength(4);
  expect(others.items).toHaveLength(2);
  const claimed = [...mine.items, ...others.items].map((item) => item.interactionId);
  expect(new Set(claimed)).toEqual(new Set(ids));
  expect((await walk(testTenant, AGENT)).flat(), 'a look sees all').toHaveLength(6);
  const [first] = mine.items;
  await testTenant.answer(first!.taskId, Number.parseInt(first!.interactionId.slice(32), 16), {
    as: testTenant.store.operatorCaller(),
  });
  expect(await redis.zcard(testTenant.keys.claims), 'an answer ends its claim').toBe(5);
  expect((await queries.pending.records(AGENT, { claim })).items).toEqual([]);
  for (const member of await redis.zrange(testTenant.keys.claims, '0', '-1'))
    await redis.zadd(testTenant.keys.claims, 1, member);
  expect((await queries.pending.records(AGENT, { claim })).items).toHaveLength(4);
});

test('of many claims at once no two get the same interaction', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await crowd(testTenant, 10);
  const claim = { max: 3, leaseMs: 60_000 };
  const pages = await Promise.all(
    Array.from({ length: 12 }, () => testTenant.store.queries.pending.records(AGENT, { claim })),
  );
  const all = pages.flatMap((page) => page.items.map((item) => item.interactionId));
  expect(all).toHaveLength(ids.length);
  expect(new Set(all)).toEqual(new Set(ids));
});

test('a walk with claims skips what others have claimed', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await crowd(testTenant, 50);
  await walk(testTenant, { principal: 'bob', scopes: new Set(['mcp']) }, { max: 1_000, leaseMs: 60_000 });
  const pages = await walk(testTenant, AGENT, { max: 10, leaseMs: 60_000 });
  expect(new Set(pages.flat()).size).toBe(ids.length / 2);
});

test.each([
  ['of a release that did not seal it', Buffer.from('{"score":"1","member":"x"}').toString('base64url')],
  ['broken', '%%%'],
  ['empty', ''],
  ['no object', 'bnVsbA'],
])('a cursor that is %s is refused, naming it', async (_how, cursor) => {
  const testTenant = await fixture.createTenant();
  await expect(testTenant.store.queries.pending.records(AGENT, { cursor })).rejects.toMatchObject({
    code: 'invalid_arguments',
    details: { field: 'cursor' },
  });
  await expect(testTenant.store.queries.tasks(AGENT, cursor)).rejects.toMatchObject({
    code: 'invalid_arguments',
  });
});

test('tasks are listed newest first, each once, ended ones too, and to their principal alone', async () => {
  const testTenant = await fixture.createTenant();
  const ids = (await crowd(testTenant, 120))
    .filter((_, at) => at % 3 === 0)
    .map((id) => `${id.slice(0, 32)}0000`);
  await testTenant.tasks.cancel(ANN, ids[0]!);
  const walkTasks = async (identity: Identity) => {
    const found: string[] = [];
    let last = Number.POSITIVE_INFINITY;
    for (let cursor: string | undefined; ; ) {
      const page = await testTenant.store.queries.tasks(identity, cursor);
      for (const { taskId, createdAt } of page.items) {
        expect(createdAt).toBeLessThanOrEqual(last);
        last = createdAt;
        found.push(taskId);
      }
      cursor = page.nextCursor;
      if (cursor === undefined) return found;
    }
  };
  const all = await walkTasks(AGENT);
  expect(new Set(all)).toEqual(new Set(ids));
  expect(all).toHaveLength(120);
  expect(new Set(await walkTasks(ANN))).toEqual(new Set(ids.filter((_, at) => at % 2 === 0)));
});

test('the history shows interactions of every status, and one task in whole', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({
    waits: [llmWait('0'), llmWait('1'), llmWait('2')],
    journal: [['9', 'read+1']],
  });
  await testTenant.answer(taskId, 1);
  await testTenant.interactions.cancel(ANN, formatInteractionId(taskId, 2));
  const { items } = await testTenant.store.queries.history.records(ANN);
  expect(items.map((item) => item.status)).toEqual(['answered', 'cancelled', 'pending']);
  const whole = await testTenant.store.queries.inspect(ANN, taskId);
  expect([...whole.journal.keys()].sort()).toEqual(['0', '1', '9']);
  expect(whole.interactions).toHaveLength(3);
  expect(await errorCode(testTenant.store.queries.inspect(BOB, taskId))).toBe('task_not_found');
  expect(await errorCode(testTenant.store.queries.interaction(BOB, formatInteractionId(taskId, 1)))).toBe(
    'interaction_not_found',
  );
});
