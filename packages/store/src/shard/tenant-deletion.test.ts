import { expect, test } from 'vitest';
import { CANCEL } from '../scripts/registry.ts';
import { DELETION_LEASE } from '../records/durations.ts';
import { runEveryScript } from '../testing/every-script.ts';
import { readRedisContents } from '../testing/redis-contents.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode, type TestTenant } from '../testing/test-tenant.ts';

const fixture = await openFixture({ shards: 1 });

/** The keys of Redis in which the id of a tenant stands, and the members of others. */
async function tracesOf(id: string): Promise<string[]> {
  const contents = Object.entries(await readRedisContents(fixture.redis, 'baton'));
  const named = new RegExp(`\\b${id}\\b`);
  return contents.flatMap(([key, value]) => {
    if (named.test(key)) return [key];
    return !key.includes(':bull:') && named.test(JSON.stringify(value)) ? [`in ${key}`] : [];
  });
}

async function busyTenant(id: string): Promise<TestTenant> {
  const tenant = await fixture.createTenant({}, id);
  await runEveryScript(fixture, tenant);
  await tenant.openTask();
  return tenant;
}

test('nothing of a deleted tenant is left but that its id was given, and its neighbour keeps everything', async () => {
  const { operators } = fixture;
  const { keys } = await busyTenant('leaving');
  await busyTenant('staying');
  const before = await tracesOf('staying');
  expect(before.length).toBeGreaterThan(30);
  await operators.update('leaving', { suspended: true });
  await operators.delete('leaving');
  expect(await tracesOf('leaving')).toEqual([keys.tenant]);
  expect(Object.keys(await fixture.redis.hgetall(keys.tenant)).sort()).toEqual([
    'at',
    'deleted',
    'suspended',
  ]);
  expect(await tracesOf('staying')).toEqual(before);
});

test('its open tasks are cancelled, and a worker that holds one can write no more', async () => {
  const { operators } = fixture;
  const tenant = await fixture.createTenant({}, 'at-work');
  await tenant.openTask({ ready: true, waits: [] });
  const segment = await fixture.loadSegment();
  await operators.update('at-work', { suspended: true });
  await operators.delete('at-work');
  expect(await segment.settle({ status: 'completed', result: {} })).toBe('stale');
  expect(await tracesOf('at-work')).toEqual([tenant.keys.tenant]);
});

test('never more than 16 of its tasks are cancelled at once, so that calls of others find their turn', async () => {
  const { operators, connection } = fixture;
  const tenant = await fixture.createTenant({}, 'crowded');
  for (let n = 0; n < 100; n++) await tenant.openTask();
  await operators.update('crowded', { suspended: true });
  const evaluate = connection.evaluate.bind(connection);
  let [cancels, underWay, most] = [0, 0, 0];
  connection.evaluate = async (script, keys, args) => {
    if (script.sha !== CANCEL.sha) return evaluate(script, keys, args);
    cancels += 1;
    most = Math.max(most, ++underWay);
    return evaluate(script, keys, args).finally(() => (underWay -= 1));
  };
  await operators.delete('crowded').finally(() => (connection.evaluate = evaluate));
  expect(cancels).toBe(100);
  expect(most).toBeLessThanOrEqual(16);
});

test('only a suspended tenant is deleted, once, and one that is deleted is found by nobody', async () => {
  const { operators } = fixture;
  const { keys } = await fixture.createTenant({}, 'once');
  expect(await errorCode(operators.delete('once'))).toBe('tenant_active');
  await operators.update('once', { suspended: true });
  expect(await errorCode(operators.delete('once'))).toBe('done');
  expect(await errorCode(operators.delete('once'))).toBe('tenant_not_found');
  expect(await errorCode(operators.update('once', { suspended: false }))).toBe('tenant_not_found');
  await expect(operators.get('once')).rejects.toThrow("Tenant 'once' was deleted. Create one of another id");
  await expect(operators.create({ id: 'once' })).rejects.toThrow(
    'was deleted, and its id is not given again',
  );
  expect(await fixture.redis.hget(keys.tenant, 'suspended')).toBe('1');
});

test('a deletion that was cut off is repeated, and goes on; until then the tenant is not found', async () => {
  const { operators, redis } = fixture;
  const { keys } = await busyTenant('cut-off');
  await operators.update('cut-off', { suspended: true });
  await redis.hset(keys.tenant, 'deleted', 1);
  const isBeingDeleted = "Tenant 'cut-off' is being deleted";
  for (const refused of [
    operators.update('cut-off', { suspended: false }),
    operators.get('cut-off'),
    operators.create({ id: 'cut-off' }),
  ])
    await expect(refused).rejects.toThrow(isBeingDeleted);
  expect((await operators.list(undefined, 1_000)).tenants.map(({ id }) => id)).not.toContain('cut-off');
  expect(await errorCode(operators.delete('cut-off'))).toBe('done');
  expect(await tracesOf('cut-off')).toEqual([keys.tenant]);
});

test('a sweep names a deletion that was cut off once it has seen it for longer than the lease, and one worker goes on with it', async () => {
  const { operators, redis, shard, shardKeys } = fixture;
  const { keys } = await busyTenant('crashed');
  await operators.update('crashed', { suspended: true });
  await redis.hset(keys.tenant, 'deleted', 1);
  const sweepNow = async () => {
    await redis.zadd(shardKeys.due, 0, 'crashed');
    return shard.sweepDueTasks();
  };
  expect(await sweepNow(), 'it may go on').toEqual([]);
  expect(await sweepNow(), 'the same').toEqual([]);
  const seen = Number(await redis.hget(keys.tenant, 'deleted'));
  expect(Number(await redis.zscore(shardKeys.due, 'crashed'))).toBe(seen + DELETION_LEASE);
  await redis.hset(keys.tenant, 'deleted', seen - DELETION_LEASE);
  expect(await sweepNow()).toEqual(['crashed']);
  expect(await sweepNow(), 'a worker is at it').toEqual([]);
  await shard.removeDeletedTenant('crashed');
  expect(await tracesOf('crashed')).toEqual([keys.tenant]);
  expect(await sweepNow(), 'it is done').toEqual([]);
  expect(await tracesOf('crashed')).toEqual([keys.tenant]);
});

test('deletions of one tenant at the same time all end, and nothing of it is left', async () => {
  const { operators, shard } = fixture;
  const tenant = await busyTenant('thrice');
  for (let n = 0; n < 200; n++) await tenant.openTask();
  await operators.update('thrice', { suspended: true });
  await Promise.all([operators.delete('thrice'), operators.delete('thrice')]);
  expect(await tracesOf('thrice')).toEqual([tenant.keys.tenant]);
  await Promise.all([shard.removeDeletedTenant('thrice'), shard.removeDeletedTenant('thrice')]);
  expect(await tracesOf('thrice')).toEqual([tenant.keys.tenant]);
});

test('a page that holds a tenant which is being deleted is followed by the next', async () => {
  const { operators, redis } = fixture;
  for (const id of ['page-1', 'page-2', 'page-3']) await fixture.createTenant({}, id);
  await redis.hset(fixture.keyspace.tenant('page-2').tenant, 'deleted', 1);
  const first = await operators.list('page-0', 2);
  expect(first.tenants.map(({ id }) => id)).toEqual(['page-1']);
  expect(first.next).toBe('page-2');
  expect((await operators.list(first.next, 1)).tenants.map(({ id }) => id)).toEqual(['page-3']);
});
