import { parseApiKey } from '@baton/protocol';
import { afterAll, expect, test } from 'vitest';
import type { Identity } from './identity/identity.ts';
import { moveToCurrentSecret, type TenantSecrets } from './secret-rotation.ts';
import { Store } from './store.ts';
import { ScriptMonitor } from './testing/script-monitor.ts';
import { openFixture } from './testing/store-fixture.ts';
import { errorCode } from './testing/test-tenant.ts';

const OLD = 'the secret of before';
const NEW = 'the secret of today';
const OPERATOR: Identity = { principal: 'operator', scopes: new Set(['admin']) };

/** Processes with each list of secrets that a change goes through, on one Redis. */
const fixture = await openFixture({ secret: OLD });
const { redis } = fixture;
const open = (replica: string, secret: string, ...previousSecrets: string[]) =>
  Store.open({ url: fixture.url, replica, secret, previousSecrets });
const knowsNew = await open('knows-new', OLD, NEW);
const uses = await open('uses-new', NEW, OLD);
const onlyNew = await open('only-new', NEW);
afterAll(() => Promise.all([knowsNew, uses, onlyNew].map((store) => store.close())));

async function tenantWithKey() {
  const { id, keys, apiKeys } = (await fixture.createTenant()).store;
  const key = await apiKeys.create({ name: 'k', principal: 'ann', scopes: ['mcp'] });
  const calls = (store: Store) => errorCode(store.tenant(id).caller(parseApiKey(key.key)!, 1).admit(['mcp']));
  const digest = () => redis.hget(keys.credential(key.id), 'digest');
  return { id, key, calls, digest, record: keys.credential(key.id) };
}

test('a key of an older secret calls wherever that is known, and from its first call on is hashed with the newer', async () => {
  const { calls, digest } = await tenantWithKey();
  const hashedWithOld = await digest();
  expect(await calls(onlyNew), 'no process may know the new one alone yet').toBe('unauthenticated');
  expect(await calls(knowsNew)).toBe('done');
  expect(await digest(), 'the first secret is still the old one').toBe(hashedWithOld);
  expect(await calls(uses)).toBe('done');
  expect(await digest()).not.toBe(hashedWithOld);
  expect([await calls(onlyNew), await calls(knowsNew), await calls(uses)]).toEqual(['done', 'done', 'done']);
});

test('a key that is made while processes of both orders run calls at each of them', async () => {
  for (const maker of [knowsNew, uses]) {
    const { id, calls } = await tenantWithKey();
    const made = await maker.tenant(id).apiKeys.create({ name: 'm', scopes: ['mcp'] });
    for (const store of [knowsNew, uses, knowsNew])
      expect(await errorCode(store.tenant(id).caller(parseApiKey(made.key)!, 1).admit(['mcp']))).toBe('done');
    expect(await calls(uses)).toBe('done');
  }
});

test('a key is hashed anew in the script that admits it, and costs nothing before and after', async () => {
  const { calls } = await tenantWithKey();
  const monitor = await ScriptMonitor.open(fixture.url);
  for (const store of [fixture.store, knowsNew, uses, uses]) expect(await calls(store)).toBe('done');
  const runs = await monitor.runs();
  expect(runs.map(({ script }) => script)).toEqual(Array(4).fill('tenant/admit'));
  const writes = runs.map(({ commands }) =>
    commands.filter(([name, key]) => name === 'HSET' && key?.includes(':key:')),
  );
  expect(writes.map((some) => some.map((command) => command.includes('digest')))).toEqual([
    [false],
    [],
    [true],
    [],
  ]);
  monitor.close();
});

test('a key that has ended, one with another text, and the id of a secret never pass', async () => {
  const { id, key, record, digest } = await tenantWithKey();
  const current = await uses.tenant(id).apiKeys.create({ name: 'of the new', scopes: ['mcp'] });
  const newId = await redis.hget(record.replace(key.id, current.id), 'secret');
  await redis.hset(record, 'digest', newId!);
  const call = (text: string) => errorCode(uses.tenant(id).caller(parseApiKey(text)!, 1).admit(['mcp']));
  expect(await call(key.key), 'a record with the id of the secret').toBe('unauthenticated');
  await redis.hset(record, 'digest', '');
  expect(await call(key.key)).toBe('unauthenticated');
  const other = await tenantWithKey();
  await redis.hset(other.record, 'expires', Date.now() - 1);
  const before = await other.digest();
  expect(await other.calls(uses)).toBe('unauthenticated');
  expect([await other.digest(), await digest()]).toEqual([before, '']);
});

test('cursors that either order of secrets has sealed open at the other, and so do sessions', async () => {
  const { id } = (await fixture.createTenant()).store;
  const cursorsOf = (store: Store) => store.tenant(id).cursors.of('keys', OPERATOR);
  for (const [one, other] of [
    [knowsNew, uses],
    [uses, knowsNew],
    [fixture.store, knowsNew],
    [fixture.store, uses],
    [uses, onlyNew],
  ] as const)
    expect(cursorsOf(other).open(cursorsOf(one).seal('here'))).toBe('here');
  expect(
    await errorCode(Promise.resolve().then(() => cursorsOf(onlyNew).open(cursorsOf(knowsNew).seal('x')))),
  ).toBe('invalid_arguments');
  for (const [one, other] of [
    [knowsNew, uses],
    [uses, knowsNew],
  ] as const)
    expect(other.seal('session').open(one.seal('session').seal('x', ''), '')?.text).toBe('x');
});

const endpoint = {
  kind: 'openai',
  baseUrl: 'https://llm.example/v1',
  modelId: 'm',
  apiKey: 'sk-of-an-endpoint',
} as const;

test('endpoint keys are sealed anew when their role is put without them, and when they are moved; nothing else changes', async () => {
  const { id } = (await fixture.createTenant()).store;
  const rolesOf = (store: Store) => store.tenant(id).roles;
  const opens = async (store: Store) => {
    const route = (await rolesOf(store).read()).get('main')?.routes[0];
    return route?.kind === 'openai' ? rolesOf(store).openKey('main', route) : undefined;
  };
  await rolesOf(fixture.store).put(OPERATOR, 'main', { routes: [endpoint] });
  const before = (await rolesOf(uses).read()).get('main');
  expect(await opens(knowsNew)).toEqual({ key: endpoint.apiKey, isCurrent: true });
  expect(await opens(uses)).toEqual({ key: endpoint.apiKey, isCurrent: false });
  expect(await opens(onlyNew)).toBe('unreadable');
  expect([await rolesOf(uses).reseal('main'), await rolesOf(uses).reseal('main')]).toEqual([true, false]);
  expect(await rolesOf(onlyNew).reseal('research'), 'a role that is not there').toBe(false);
  expect(await opens(onlyNew)).toEqual({ key: endpoint.apiKey, isCurrent: true });
  const after = (await rolesOf(uses).read()).get('main');
  expect(after).toEqual({ ...before, routes: [{ ...before?.routes[0], sealedKey: expect.any(String) }] });
  const { apiKey: _, ...kept } = endpoint;
  await rolesOf(knowsNew).put(OPERATOR, 'main', { routes: [kept] });
  expect(await opens(fixture.store), 'put by a process whose first secret is the old one').toMatchObject({
    isCurrent: true,
  });
  await rolesOf(uses).put(OPERATOR, 'main', { routes: [kept] });
  expect(await opens(onlyNew)).toEqual({ key: endpoint.apiKey, isCurrent: true });
});

test('what still needs an older secret is named: keys that have not called, roles that nothing opens', async () => {
  const moved = async (store: Store) => {
    const found = new Map<string, TenantSecrets>();
    for await (const tenant of moveToCurrentSecret(store)) found.set(tenant.tenant, tenant);
    return found;
  };
  const { id, key, calls, record } = await tenantWithKey();
  const { roles, apiKeys } = fixture.store.tenant(id);
  await roles.put(OPERATOR, 'main', { routes: [endpoint] });
  const stranger = await open('stranger', 'a secret of elsewhere', NEW);
  await stranger.tenant(id).roles.put(OPERATOR, 'research', { routes: [endpoint] });
  await stranger.close();
  const ended = await apiKeys.create({ name: 'ended', scopes: ['mcp'] });
  await apiKeys.rotate(ended.id, 0, { kind: 'operator' });
  // Of a release that did not note which secret has hashed a key.
  await redis.hdel(record, 'secret');
  const first = (await moved(uses)).get(id);
  expect(first).toMatchObject({ resealed: ['main'], unreadable: ['research'] });
  expect(first?.unseenKeys.map(({ name }) => name).toSorted()).toEqual(['ended', 'k']);
  expect(first?.unseenKeys.map((one) => one.id)).toContain(key.id);
  expect(await calls(uses)).toBe('done');
  const second = (await moved(uses)).get(id);
  expect(second).toMatchObject({ resealed: [], unreadable: ['research'] });
  expect(
    second?.unseenKeys.map(({ name }) => name),
    'the successor of the one that has ended',
  ).toEqual(['ended']);
  expect((await moved(uses)).size).toBe(1);
});
