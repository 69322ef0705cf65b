import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { runScript } from '../scripts/script.ts';
import { LIST_DUE_TENANTS, EXPIRE, LIST_DUE_TASKS } from '../scripts/registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, type TestTenant, sleepWait } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;
const { due } = fixture.shardKeys;

/** A testTenant with so many sleeps that are over. */
async function asleep(count: number, id?: string): Promise<TestTenant> {
  const testTenant = await fixture.createTenant({}, id);
  const as = testTenant.store.operatorCaller();
  const open = () => testTenant.openTask({ waits: [sleepWait('0', 0)] }, as);
  for (let at = 0; at < count; at += 200)
    await Promise.all(Array.from({ length: Math.min(200, count - at) }, open));
  return testTenant;
}

test('one sweep goes on until nothing is due, however much is', async () => {
  const testTenant = await asleep(1_000);
  await fixture.sweep();
  expect(await redis.zcard(testTenant.keys.ready)).toBe(1_000);
  expect(
    await runScript(
      { connection: fixture.connection, keys: fixture.shardKeys },
      LIST_DUE_TENANTS,
      {},
      {
        limit: 10,
      },
    ),
  ).toEqual([]);
});

test('tenants take turns: the one with a thousand due does not stand before the one that fell due last', async () => {
  const crowd = await asleep(1_000, 'crowd');
  const other = await asleep(1, 'other');
  const order: string[] = [];
  const evaluate = fixture.connection.evaluate.bind(fixture.connection);
  fixture.connection.evaluate = (script, keys, args) => {
    if (script.sha === EXPIRE.sha) order.push(String(args[0]).split(':')[0] ?? '');
    return evaluate(script, keys, args);
  };
  await fixture.sweep();
  fixture.connection.evaluate = evaluate;
  expect(order).toHaveLength(1_001);
  expect(order.indexOf('other')).toBeLessThan(100);
  expect(await redis.zcard(crowd.keys.ready)).toBe(1_000);
  expect(await redis.zcard(other.keys.ready)).toBe(1);
});

test('more tenants than one round reads are all given what is due', async () => {
  const testTenants: TestTenant[] = [];
  for (let n = 0; n < 130; n++) testTenants.push(await asleep(n < 100 ? 70 : 1));
  await fixture.sweep();
  const ready = await Promise.all(testTenants.map((testTenant) => redis.zcard(testTenant.keys.ready)));
  expect(ready).toEqual(testTenants.map((_, n) => (n < 100 ? 70 : 1)));
}, 60_000);

test('what one sweep did not get to is found by the next: nothing is taken out before it is done', async () => {
  const testTenant = await asleep(3);
  const look = () =>
    runScript(
      { connection: fixture.connection, keys: testTenant.keys },
      LIST_DUE_TASKS,
      {},
      {
        name: testTenant.store.id,
        limit: 2,
        lease: 60_000,
      },
    );
  expect((await look())[0]).toHaveLength(2);
  expect((await look())[0], 'its sweep died').toHaveLength(2);
  await fixture.sweep();
  expect(await redis.zcard(testTenant.keys.ready)).toBe(3);
});

test("a tenant's place among the due is never later than its first deadline, and goes with its last task", async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [sleepWait('0', 50_000)] });
  const first = async () => Number(await redis.zscore(due, testTenant.store.id));
  const deadline = async () => Number(await redis.zscore(testTenant.keys.deadlines, taskRef(taskId)));
  expect(await first()).toBe(await deadline());
  await testTenant
    .openTask({ waits: [sleepWait('0', 20_000)] })
    .then((id) => testTenant.tasks.cancel(ANN, id));
  expect(await first(), 'it may be too early').toBeLessThan(await deadline());
  await runScript(
    { connection: fixture.connection, keys: testTenant.keys },
    LIST_DUE_TASKS,
    {},
    {
      name: testTenant.store.id,
      limit: 9,
      lease: 60_000,
    },
  );
  expect(await first(), 'a look sets it right').toBe(await deadline());
  await testTenant.tasks.cancel(ANN, taskId);
  await runScript(
    { connection: fixture.connection, keys: testTenant.keys },
    LIST_DUE_TASKS,
    {},
    {
      name: testTenant.store.id,
      limit: 9,
      lease: 60_000,
    },
  );
  const ended = await redis.zrange(testTenant.keys.retained, '0', '0', 'WITHSCORES');
  expect(await first(), 'then the first ended task is to go').toBe(Number(ended[1]));
  expect(recorder.last(LIST_DUE_TASKS)).toEqual([[], [], [], 0]);
  await redis.del(testTenant.keys.retained);
  await runScript(
    { connection: fixture.connection, keys: testTenant.keys },
    LIST_DUE_TASKS,
    {},
    {
      name: testTenant.store.id,
      limit: 9,
      lease: 60_000,
    },
  );
  expect(await redis.zscore(due, testTenant.store.id)).toBeNull();
});
