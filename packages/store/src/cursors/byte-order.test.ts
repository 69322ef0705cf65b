import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIST_PENDING_OR_REGISTER_WAITER } from '../scripts/registry.ts';
import { startCollatingRedis } from '../testing/collating-redis.ts';
import { closeFixture, connectFixture, type StoreFixture } from '../testing/store-fixture.ts';
import { AGENT, type TestTenant } from '../testing/test-tenant.ts';

/** Redis orders members by their bytes, and Lua compares strings as the locale of the server does: no list may depend on that. */
const COUNT = 300;

interface Listing {
  readonly items: readonly unknown[];
  readonly nextCursor?: string;
}

const LISTS: Record<string, (testTenant: TestTenant, cursor?: string) => Promise<Listing>> = {
  'pending interactions': (t, cursor) => t.store.queries.pending.summaries(AGENT, { cursor }),
  'pending interactions with their requests': (t, cursor) =>
    t.store.queries.pending.records(AGENT, { cursor }),
  'interactions of any status': (t, cursor) => t.store.queries.history.summaries(AGENT, { cursor }),
  tasks: (t, cursor) => t.store.queries.tasks(AGENT, cursor),
  'API keys': (t, cursor) => t.store.apiKeys.list(AGENT, cursor),
  projects: (t, cursor) => t.store.projects.page(cursor),
};

async function walk(list: (cursor?: string) => Promise<Listing>): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages++) {
    if (pages > COUNT) throw new Error('a walk without end');
    const page: Listing = await list(cursor);
    seen.push(...page.items.map((item) => JSON.stringify(item)));
    cursor = page.nextCursor;
  }
  return seen;
}

describe('on a Redis that runs in en_US.UTF-8', () => {
  let server: Awaited<ReturnType<typeof startCollatingRedis>>;
  let fixture: StoreFixture;
  let testTenant: TestTenant;
  beforeAll(async () => {
    server = await startCollatingRedis();
    fixture = await connectFixture(server.url);
  }, 60_000);
  afterAll(async () => {
    await closeFixture(fixture);
    await server.stop();
  });

  beforeEach(async () => {
    await fixture.redis.flushall();
    testTenant = await fixture.createTenant({ projects: 10_000 });
    await testTenant.caller();
    const { apiKeys, projects } = testTenant.store;
    await Promise.all(Array.from({ length: COUNT }, () => testTenant.openTask()));
    await Promise.all(
      Array.from({ length: COUNT - 1 }, () => apiKeys.create({ name: 'x', scopes: ['mcp'] })),
    );
    const change = { set: [['t:1', '{}']] as const, delete: [] };
    for (let at = 0; at < COUNT; at++)
      await projects.commit(`${at % 2 === 0 ? 'a' : 'B'}-${at}`, undefined, change);
    // All of one millisecond, so that the order of members decides where a page ends.
    const begun = Date.now() - 60_000;
    const { pending, tasks, apiKeys: keyIds } = testTenant.keys;
    for (const index of [pending, tasks, keyIds]) {
      const members = await fixture.redis.zrange(index, '0', '-1');
      await fixture.redis.zadd(index, ...members.flatMap((member) => [begun, member]));
    }
  });

  test.each(Object.entries(LISTS))('a walk through %s meets each once', async (_name, list) => {
    const seen = await walk((cursor) => list(testTenant, cursor));
    expect(seen).toHaveLength(COUNT);
    expect(new Set(seen).size).toBe(COUNT);
  });

  test('the test would notice a comparison of strings by Lua', async () => {
    const body = 'local function is_behind(member, other)\n';
    const cuts = [[body, `${body}  if member ~= other then return member > other end\n`]] as const;
    const seen = await fixture.recorder.withMutant(LIST_PENDING_OR_REGISTER_WAITER, cuts, () =>
      walk((cursor) => testTenant.store.queries.pending.summaries(AGENT, { cursor })).catch(() => []),
    );
    expect(new Set(seen).size).toBeLessThan(COUNT);
  });
});
