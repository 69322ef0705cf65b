import { type KeyInput, parseApiKey, type Scope } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { Identity } from '../identity/identity.ts';
import { ENDED_KEY_RETENTION } from '../records/durations.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode, type TestTenant } from '../testing/test-tenant.ts';
import type { ApiKeyDigests } from '../secrets/api-key-digests.ts';
import { keyIssuerOf } from './key-issuer.ts';
import { TenantStore } from '../tenant-store.ts';
import type { TenantContext } from './tenant-context.ts';

const fixture = await openFixture();
const { redis } = fixture;
const OPERATOR_IDENTITY: Identity = { principal: 'operator', scopes: new Set(['admin']) };

/** An admin of a tenant, admitted with a key of its own. */
async function admin(testTenant: TestTenant, more: Partial<KeyInput> = {}) {
  const { apiKeys } = testTenant.store;
  const { id, key } = await apiKeys.create({ name: 'a', scopes: ['mcp', 'agent', 'admin'], ...more });
  const caller = testTenant.store.caller(parseApiKey(key)!, 1);
  await caller.admit(['admin']);
  return { id, key, apiKeys, issuer: keyIssuerOf(caller.heldIdentity()) };
}

test.each<[string, Partial<KeyInput>]>([
  ['an admin', { scopes: ['admin'] }],
  ['an admin among other scopes', { scopes: ['mcp', 'admin'] }],
  ['the operator', { principal: 'operator' }],
  ['the default principal of a key', { principal: 'key-AAAAAAAAAAAA' }],
])('an admin key never makes a key of %s, and the operator does', async (_name, wanted) => {
  const testTenant = await fixture.createTenant();
  const { apiKeys, issuer } = await admin(testTenant);
  const before = await fixture.contents();
  const input = { name: 'x', scopes: ['mcp'] as Scope[], ...wanted };
  expect(await errorCode(apiKeys.create(input, issuer))).toBe('insufficient_scope');
  expect(await fixture.contents()).toEqual(before);
  expect(await errorCode(apiKeys.create(input))).toBe('done');
});

test('an admin key rotates itself and weaker keys, and never another admin or the operator', async () => {
  const testTenant = await fixture.createTenant();
  const { id, apiKeys, issuer } = await admin(testTenant);
  const make = (input: Partial<KeyInput>) => apiKeys.create({ name: 'x', scopes: ['mcp'], ...input });
  const rotated = async (key: { id: string }) => errorCode(apiKeys.rotate(key.id, 0, issuer));
  expect(await rotated(await make({ scopes: ['admin'] }))).toBe('insufficient_scope');
  expect(await rotated(await make({ principal: 'operator' }))).toBe('insufficient_scope');
  expect(await rotated(await make({}))).toBe('done');
  expect(await rotated({ id })).toBe('done');
});

test('of many who replace a key at once, with itself and without an overlap, one does', async () => {
  const testTenant = await fixture.createTenant();
  const { id, apiKeys, issuer } = await admin(testTenant);
  const replaced = await Promise.all(
    Array.from({ length: 12 }, () => errorCode(apiKeys.rotate(id, 0, issuer))),
  );
  expect(replaced.filter((code) => code === 'done')).toHaveLength(1);
  const other = await apiKeys.create({ name: 'x', scopes: ['mcp'] });
  const byOperator = await Promise.all(
    Array.from({ length: 12 }, () => errorCode(apiKeys.rotate(other.id, 0))),
  );
  expect(byOperator.toSorted()).toEqual(
    ['done', ...Array.from({ length: 11 }, () => 'key_not_found')].toSorted(),
  );
});

test('no key outlives the key that makes it, whatever end is asked for, and however it is rotated', async () => {
  const testTenant = await fixture.createTenant();
  const end = new Date(Date.now() + 60_000).toISOString();
  const { id, apiKeys, issuer } = await admin(testTenant, { expiresAt: end });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const made = (expiresAt?: string) =>
    apiKeys.create({ name: 'x', scopes: ['mcp'], ...(expiresAt ? { expiresAt } : {}) }, issuer);
  const sooner = new Date(Date.now() + 30_000).toISOString();
  const lasting = await apiKeys.create({ name: 'x', scopes: ['mcp'] });
  const ends = [
    (await made()).expiresAt,
    (await made(later)).expiresAt,
    (await apiKeys.rotate(lasting.id, 0, issuer)).expiresAt,
  ];
  for (const each of ends) expect(Math.abs(Date.parse(each ?? '') - Date.parse(end))).toBeLessThanOrEqual(1);
  expect((await made(sooner)).expiresAt).toBe(sooner);
  // In its overlap an old key cannot make itself last.
  await apiKeys.rotate(id, 10);
  const again = await apiKeys.rotate(id, 10, issuer);
  expect(Date.parse(again.expiresAt ?? '')).toBeLessThan(Date.now() + 15_000);
});

test('a key that has ended makes no key', async () => {
  const testTenant = await fixture.createTenant();
  const { id, apiKeys, issuer } = await admin(testTenant);
  await apiKeys.revoke(id);
  const before = await fixture.contents();
  expect(await errorCode(apiKeys.create({ name: 'x', scopes: ['mcp'] }, issuer))).toBe('unauthenticated');
  expect(await fixture.contents()).toEqual(before);
});

test('a key ends with those that were made with it, and theirs, where that is asked for, and alone otherwise', async () => {
  const testTenant = await fixture.createTenant();
  const { id, apiKeys, issuer } = await admin(testTenant);
  const child = await apiKeys.create({ name: 'child', scopes: ['mcp'] }, issuer);
  expect(child.parent).toBe(id);
  const heir = await apiKeys.rotate(id, 60, issuer);
  const heirCaller = testTenant.store.caller(parseApiKey(heir.key)!, 1);
  await heirCaller.admit(['admin']);
  const grandchild = await apiKeys.create(
    { name: 'g', scopes: ['mcp'] },
    keyIssuerOf(heirCaller.heldIdentity()),
  );
  const foreign = await apiKeys.create({ name: 'operator-made', scopes: ['mcp'] });
  await apiKeys.revoke(child.id);
  expect((await apiKeys.list(OPERATOR_IDENTITY)).items.map((key) => key.id)).toHaveLength(4);
  expect((await apiKeys.revoke(id, true)).sort()).toEqual([id, heir.id, grandchild.id].sort());
  expect((await apiKeys.list(OPERATOR_IDENTITY)).items.map((key) => key.id)).toEqual([foreign.id]);
});

test('a key without an end has the default one, and one with an end its own', async () => {
  const testTenant = await fixture.createTenant();
  const { context, digests } = testTenant.store as unknown as {
    context: TenantContext;
    digests: ApiKeyDigests;
  };
  const { apiKeys } = new TenantStore(context, digests, 60_000);
  const end = async (input: Partial<KeyInput>) =>
    (await apiKeys.create({ name: 'x', scopes: ['mcp'], ...input })).expiresAt ?? '';
  const before = Date.now();
  const byDefault = Date.parse(await end({}));
  expect(byDefault).toBeGreaterThanOrEqual(before + 59_000);
  expect(byDefault).toBeLessThanOrEqual(Date.now() + 61_000);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  expect(await end({ expiresAt })).toBe(expiresAt);
});

test('the last use of a key is recorded by its first call and not again for ten minutes', async () => {
  const testTenant = await fixture.createTenant();
  const { id, key } = await testTenant.store.apiKeys.create({ name: 'x', scopes: ['mcp'] });
  const use = () => testTenant.store.caller(parseApiKey(key)!, 1).admit(['mcp']);
  const used = () => redis.hget(testTenant.keys.credential(id), 'used');
  expect((await testTenant.store.apiKeys.get(id)).lastUsedAt).toBeUndefined();
  await use();
  const first = await used();
  expect(Number(first)).toBeGreaterThan(0);
  const record = testTenant.keys.credential(id);
  await redis.hset(record, 'used', Number(first) - 500_000);
  await Promise.all(Array.from({ length: 20 }, use));
  expect(await used()).toBe(String(Number(first) - 500_000));
  await redis.hset(record, 'used', Number(first) - 700_000);
  await use();
  expect(Number(await used())).toBeGreaterThanOrEqual(Number(first));
  expect((await testTenant.store.apiKeys.get(id)).lastUsedAt).toBeDefined();
});

test('the record of a key that ends goes a week after its end, and one without an end stays', async () => {
  const testTenant = await fixture.createTenant();
  const { apiKeys, keys } = testTenant.store;
  const end = (id: string) => redis.pexpiretime(keys.credential(id));
  const endless = await apiKeys.create({ name: 'x', scopes: ['mcp'] });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const ending = await apiKeys.create({ name: 'x', scopes: ['mcp'], expiresAt });
  const rotated = await apiKeys.create({ name: 'x', scopes: ['mcp'] });
  const before = Date.now();
  await apiKeys.rotate(rotated.id, 30);
  expect(await end(endless.id)).toBe(-1);
  expect(Math.abs((await end(ending.id)) - Date.parse(expiresAt) - ENDED_KEY_RETENTION)).toBeLessThan(1_000);
  expect(await end(rotated.id)).toBeGreaterThanOrEqual(before + 29_000 + ENDED_KEY_RETENTION);
  expect(await end(rotated.id)).toBeLessThanOrEqual(Date.now() + 31_000 + ENDED_KEY_RETENTION);
});

test('a tenant has as many keys as its limit says: ended ones make room, the first that ended first, others never', async () => {
  const testTenant = await fixture.createTenant({ apiKeys: 3 });
  const { apiKeys, keys } = testTenant.store;
  const create = () => apiKeys.create({ name: 'x', scopes: ['mcp'] });
  const ids = async () => new Set((await apiKeys.list(OPERATOR_IDENTITY)).items.map(({ id }) => id));
  const [first, second, third] = [await create(), await create(), await create()];
  expect(await errorCode(create())).toBe('limit_storage');
  expect(await errorCode(apiKeys.rotate(first.id, 1)), 'for its overlap there is one more').toBe(
    'limit_storage',
  );
  await redis.hset(keys.credential(second.id), 'expires', Date.now() - 1_000);
  await redis.zadd(keys.apiKeyEnds, Date.now() - 1_000, second.id);
  const fourth = await create();
  expect(await ids()).toEqual(new Set([first.id, third.id, fourth.id]));
  expect(await redis.exists(keys.credential(second.id))).toBe(0);
  await apiKeys.revoke(third.id);
  const fifth = await create();
  // The record of an ended key is gone by its lifetime: its places in the indexes go with the next key.
  await redis.zadd(keys.apiKeyEnds, Date.now() - ENDED_KEY_RETENTION - 1, fifth.id);
  await redis.del(keys.credential(fifth.id));
  expect(await ids()).toEqual(new Set([first.id, fourth.id]));
  await create();
  expect(await redis.zscore(keys.apiKeys, fifth.id)).toBeNull();
  expect(await redis.zcard(keys.apiKeyEnds)).toBe(0);
});

test('a tenant with as many keys as it may have rotates each with no overlap: the old one ends, and others never', async () => {
  const testTenant = await fixture.createTenant({ apiKeys: 2 });
  const { id, apiKeys, issuer } = await admin(testTenant);
  const other = await apiKeys.create({ name: 'x', scopes: ['mcp'], principal: 'one' });
  const ids = async () => new Set((await apiKeys.list(OPERATOR_IDENTITY)).items.map((key) => key.id));
  const replaced = await Promise.all(
    Array.from({ length: 12 }, () => errorCode(apiKeys.rotate(other.id, 0))),
  );
  expect(replaced.filter((code) => code === 'done')).toHaveLength(1);
  const [heir] = (await apiKeys.list(OPERATOR_IDENTITY)).items.filter(({ principal }) => principal === 'one');
  expect(await ids()).toEqual(new Set([id, heir!.id]));
  expect(await redis.exists(testTenant.keys.credential(other.id))).toBe(0);
  const itself = await apiKeys.rotate(id, 0, issuer);
  expect(await ids()).toEqual(new Set([itself.id, heir!.id]));
  expect(await redis.exists(testTenant.keys.credential(id))).toBe(0);
  expect(await redis.zcard(testTenant.keys.apiKeys)).toBe(2);
  expect(await errorCode(apiKeys.create({ name: 'x', scopes: ['mcp'] }))).toBe('limit_storage');
});

test('keys are listed in pages, oldest first, each once, whatever was created in one millisecond', async () => {
  const testTenant = await fixture.createTenant();
  const { apiKeys, keys } = testTenant.store;
  const ids: string[] = [];
  for (let n = 0; n < 130; n++) ids.push((await apiKeys.create({ name: 'x', scopes: ['mcp'] })).id);
  await redis.zadd(keys.apiKeys, ...ids.flatMap((id, at) => [at < 10 ? at : 2_000_000_000_000, id]));
  const pages: string[][] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await apiKeys.list(OPERATOR_IDENTITY, cursor === '' ? undefined : cursor);
    pages.push(page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(pages.map((page) => page.length)).toEqual([50, 50, 30]);
  expect(pages.flat()).toEqual([...ids.slice(0, 10), ...ids.slice(10).sort()]);
  expect(await apiKeys.revoke(ids[0]!, true)).toEqual([ids[0]]);
});
