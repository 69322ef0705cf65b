import { formatInteractionId } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import type { Identity } from '../identity/identity.ts';
import type { Wait } from '../records/park-request.ts';
import { LIST_PENDING_OR_REGISTER_WAITER, FETCH_OR_CLAIM_INTERACTIONS } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { AGENT, ANN, llmWait, BOB, errorCode, type TestTenant } from '../testing/test-tenant.ts';

/** Pages are bounded in bytes, read only what they show, and claim nothing else. */
const fixture = await openFixture();
const { redis, recorder } = fixture;

const MIB = 1_048_576;
/** Four of them are a page, with what is around them. */
const LARGE = 'x'.repeat(261_000);
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** As many tasks with one large request each; their interactions' ids, oldest first. */
async function large(testTenant: TestTenant, count: number, content = LARGE): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++)
    ids.push(formatInteractionId(await testTenant.openTask({ waits: [llmWait('0', content)] }), 1));
  return ids;
}

interface Page {
  readonly items: readonly { readonly interactionId: string }[];
  readonly nextCursor?: string;
}

async function walk(read: (cursor: string | undefined) => Promise<Page>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    pages.push(page.items.map((item) => item.interactionId));
    cursor = page.nextCursor;
    if (cursor === undefined) return pages;
  }
}

describe('a page', () => {
  test('of what is pending ends before 1 MiB of requests, and the next goes on where it ended', async () => {
    const testTenant = await fixture.createTenant();
    const ids = await large(testTenant, 10);
    const pages = await walk((cursor) => testTenant.store.queries.pending.records(AGENT, { cursor }));
    expect(pages.map((page) => page.length)).toEqual([4, 4, 2]);
    expect(pages.flat()).toEqual(ids);
    for (const reply of recorder.replies(FETCH_OR_CLAIM_INTERACTIONS).slice(-3))
      expect(bytesOf(reply)).toBeLessThan(MIB + 4_096);
  });

  test('holds what is larger than a page by itself', async () => {
    const testTenant = await fixture.createTenant({ delegatedRequestBytes: 2 * MIB });
    const ids = [
      ...(await large(testTenant, 1, 'small')),
      ...(await large(testTenant, 2, 'x'.repeat(1.5 * MIB))),
      ...(await large(testTenant, 1, 'small')),
    ];
    const pages = await walk((cursor) => testTenant.store.queries.pending.records(AGENT, { cursor }));
    expect(pages.flat()).toEqual(ids);
    expect(pages.length).toBeGreaterThanOrEqual(3);
  });

  test('of the history is bounded like it, in number and in bytes, within a task too', async () => {
    const testTenant = await fixture.createTenant();
    const waits = (count: number, content?: string) =>
      Array.from({ length: count }, (_, at) => llmWait(`${at}`, content));
    const old = await testTenant.openTask({ waits: waits(120) });
    const heavy = await testTenant.openTask({ waits: waits(6, LARGE) });
    const numbered = (taskId: string, count: number) =>
      Array.from({ length: count }, (_, at) => formatInteractionId(taskId, at + 1));
    const pages = await walk((cursor) => testTenant.store.queries.history.records(ANN, { cursor }));
    expect(pages.flat()).toEqual([...numbered(heavy, 6), ...numbered(old, 120)]);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(50);
    expect(pages[0]).toHaveLength(4);
    expect(pages.length).toBeLessThanOrEqual(5);
  });

  test('of summaries is as long with large requests as with small ones, and holds none of them', async () => {
    const testTenant = await fixture.createTenant();
    const ids = await large(testTenant, 60);
    const read = (cursor: string | undefined) =>
      testTenant.store.queries.pending.summaries(AGENT, { cursor });
    expect(await walk(read)).toEqual([ids.slice(0, 50), ids.slice(50)]);
    expect(bytesOf(recorder.replies(FETCH_OR_CLAIM_INTERACTIONS).at(-2))).toBeLessThan(64_000);
    const { items } = await read(undefined);
    expect(items[0]).toMatchObject({ status: 'pending', principal: 'ann', operation: 'echo' });
    expect(items[0]?.request).toEqual({
      call: { role: 'main', serviceType: 'streamText', attempt: 1, summary: 'yes?' },
    });
  });

  test('reads nothing of a task but what it returns', async () => {
    const testTenant = await fixture.createTenant();
    const taskId = await testTenant.openTask({ journal: [['9', `read+"${LARGE}"`]] });
    const wholeReads = async () =>
      Number(/cmdstat_hgetall:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const before = await wholeReads();
    await testTenant.store.queries.pending.records(AGENT, {});
    await testTenant.store.queries.history.records(ANN);
    await testTenant.store.queries.history.summaries(ANN);
    await testTenant.store.queries.tasks(ANN);
    await testTenant.store.queries.inspect(ANN, taskId);
    expect(await wholeReads()).toBe(before);
    for (const reply of recorder.replies(FETCH_OR_CLAIM_INTERACTIONS).slice(-4))
      expect(bytesOf(reply)).toBeLessThan(1_000);
  });
});

test('a summary is listed without its request, whatever its text is, and of its role alone where one is named', async () => {
  const testTenant = await fixture.createTenant();
  const summary = 'x,"request":{"role":"fallback"},\\"request\\":';
  await testTenant.openTask({ waits: [waitOf('0', { summary }), waitOf('1', { role: 'person' })] });
  const { items } = await testTenant.store.queries.pending.summaries(AGENT, {});
  expect(items.map((item) => item.request)).toEqual([
    { call: { role: 'main', serviceType: 'streamText', attempt: 1, summary } },
    { call: { role: 'person', serviceType: 'streamText', attempt: 1, summary: 'yes?' } },
  ]);
  for (const [role, found] of [
    ['main', ['main']],
    ['person', ['person']],
    ['fallback', []],
  ] as const) {
    const wanted = await testTenant.store.queries.pending.records(AGENT, { role });
    expect(wanted.items.map((item) => item.request.call.role)).toEqual(found);
  }
});

function waitOf(path: string, call: object): Wait {
  const wait = llmWait(path);
  if (wait.kind === 'sleep') throw new Error('a sleep has no request');
  return { ...wait, request: { call: { ...wait.request.call, ...call } } };
}

describe('a claim', () => {
  const wish = (max: number, holder = 'a') => ({ claim: { max, leaseMs: 60_000, holder } });

  test('takes a question to a person only where it names that role', async () => {
    const testTenant = await fixture.createTenant();
    await testTenant.openTask({ waits: [waitOf('0', { role: 'person' }), llmWait('1')] });
    const roles = async (filter: object) => {
      const { items } = await testTenant.store.queries.pending.records(AGENT, { ...wish(5), ...filter });
      return items.map((item) => item.request.call.role);
    };
    expect(await roles({})).toEqual(['main']);
    expect(await roles({ role: 'person' })).toEqual(['person']);
  });

  test('is given to what fits the page, and to nothing else', async () => {
    const testTenant = await fixture.createTenant();
    const ids = await large(testTenant, 9);
    const page = await testTenant.store.queries.pending.records(AGENT, wish(50));
    expect(page.items.map((item) => item.interactionId)).toEqual(ids.slice(0, 4));
    expect(await redis.zcard(testTenant.keys.claims)).toBe(4);
    const next = await testTenant.store.queries.pending.records(AGENT, wish(50, 'b'));
    expect(
      next.items.map((item) => item.interactionId),
      'the rest is free',
    ).toEqual(ids.slice(4, 8));
  });

  test('is given to what matches the filter, and to nothing else', async () => {
    const testTenant = await fixture.createTenant();
    await testTenant.openTask({ operation: 'other' });
    const mine = await testTenant.openTask();
    const look = { operation: 'echo', ...wish(1) };
    const { items } = await testTenant.store.queries.pending.records(AGENT, look);
    expect(items.map((item) => item.taskId)).toEqual([mine]);
    expect(await redis.zcard(testTenant.keys.claims)).toBe(1);
  });

  test('that other callers took first is replaced by the next free interaction', async () => {
    const testTenant = await fixture.createTenant();
    await large(testTenant, 40, 'small');
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        testTenant.store.queries.pending.records(AGENT, wish(1, `${at}`)),
      ),
    );
    expect(new Set(all.map((page) => page.items[0]?.interactionId)).size).toBe(40);
    expect(recorder.replies(LIST_PENDING_OR_REGISTER_WAITER).length, 'somebody was').toBeGreaterThan(40);
  });
});

describe('a holder that is released', () => {
  const claimsOf = async (testTenant: TestTenant, identity: Identity, holder: string, max = 50) => {
    const claim = { max, leaseMs: 60_000, holder };
    const { items } = await testTenant.store.queries.pending.records(identity, { claim });
    return items.map((item) => item.interactionId);
  };

  test("loses all of its claims and no other holder's, however alike their names are", async () => {
    const testTenant = await fixture.createTenant();
    const agent = (principal: string): Identity => ({ principal, scopes: new Set(['agent']) });
    for (let n = 0; n < 8; n++)
      await testTenant.openTask({}, await testTenant.caller(n % 2 ? 'ann b' : 'ann'));
    const mine = await claimsOf(testTenant, agent('b'), 'a', 2);
    const others = [
      ['b', 'b'],
      ['b', ''],
      ['c', 'a'],
      ['c b', 'a'],
      ['c', 'b a'],
    ] as const;
    const theirs: string[] = [];
    for (const [principal, holder] of others)
      theirs.push(...(await claimsOf(testTenant, agent(principal), holder, 1)));
    await testTenant.store.claims.releaseHolder(agent('b'), 'a');
    expect(await redis.zcard(testTenant.keys.claims)).toBe(others.length);
    for (const [at, [principal, holder]] of others.entries()) {
      const renewed = testTenant.store.claims.claim(agent(principal), theirs[at]!, {
        leaseMs: 60_000,
        holder,
      });
      expect(await errorCode(renewed), `${principal}/${holder}`).toBe('done');
    }
    const free = await claimsOf(testTenant, agent('d'), 'x');
    expect(free).toEqual(expect.arrayContaining(mine));
    expect(free.filter((id) => theirs.includes(id))).toEqual([]);
  });

  test('gets no claim from a call that was under way, and is forgotten after a while', async () => {
    const testTenant = await fixture.createTenant();
    await testTenant.store.claims.releaseHolder(AGENT, 'gone');
    await testTenant.openTask();
    expect(await claimsOf(testTenant, AGENT, 'gone')).toEqual([]);
    expect(await redis.exists(testTenant.keys.claims)).toBe(0);
    expect(await claimsOf(testTenant, BOB, 'gone'), 'it is another’s of the same name').toEqual([]);
    expect(await claimsOf(testTenant, AGENT, 'here')).toHaveLength(1);
    const holder = testTenant.keys.holder('agent-7 gone');
    expect(await redis.pttl(holder)).toBeLessThanOrEqual(60_000);
    await redis.del(holder);
    await redis.del(testTenant.keys.claims);
    expect(await claimsOf(testTenant, AGENT, 'gone')).toHaveLength(1);
  });

  test('notifies the replicas that wait for an interaction, and never where it held nothing', async () => {
    const testTenant = await fixture.createTenant();
    const { inbox } = fixture.store;
    const { queries, claims } = testTenant.store;
    await testTenant.openTask();
    await claimsOf(testTenant, AGENT, 'a');
    const listener = inbox.subscribe(testTenant.keys.pendingTopic);
    await queries.pending.records(AGENT, {
      claim: { max: 1, leaseMs: 60_000, holder: 'b' },
      channel: inbox.channel,
    });
    await claims.releaseHolder(AGENT, 'b');
    expect(await redis.hget(testTenant.keys.tenant, 'watch')).toBe(inbox.channel);
    await claims.releaseHolder(AGENT, 'a');
    expect(await listener.next(5_000)).toMatchObject({ status: 'input_required' });
    listener.close();
  });
});
