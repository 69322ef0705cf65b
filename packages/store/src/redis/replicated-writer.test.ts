import { formatInteractionId } from '@baton/protocol';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startTestCluster } from '../testing/redis-cluster.ts';
import { closeFixture, connectFixture } from '../testing/store-fixture.ts';
import { ANN, errorCode, type TestTenant, newTask } from '../testing/test-tenant.ts';
import { startRedisWithReplica } from '../testing/redis-replica.ts';
import { startPrivateRedis } from '@baton/local-redis';

/** Nothing is acknowledged before a replica has it; a replica that hangs shows what is not waited for. */
const servers = await startRedisWithReplica();
const fixture = await connectFixture(servers.master.url, {
  replication: { replicas: 1, waitMs: 300, fsync: false },
});
const replica = new Redis(servers.replica.url);
afterAll(async () => {
  replica.disconnect();
  await closeFixture(fixture);
  await servers.stop();
});
beforeEach(async () => void (await fixture.redis.flushall()));

async function whileReplicaHangs<T>(body: () => Promise<T>): Promise<T> {
  process.kill(servers.replica.pid, 'SIGSTOP');
  try {
    return await body();
  } finally {
    process.kill(servers.replica.pid, 'SIGCONT');
  }
}

const change = { set: [['t:1', '{}'] as const], delete: [] };

test.each<[string, (testTenant: TestTenant, taskId: string) => Promise<unknown>]>([
  ['a new task', (testTenant) => testTenant.openTask({ idempotency: { key: 'k', arguments: 'a' } })],
  ['an answer', (testTenant, taskId) => testTenant.answer(taskId)],
  [
    'a chunk',
    async (testTenant, taskId) =>
      testTenant.interactions.appendChunk(await testTenant.caller(), {
        interactionId: formatInteractionId(taskId, 1),
        sequence: 0,
        delta: 'x',
      }),
  ],
  ['how a task stands', (testTenant, taskId) => testTenant.tasks.read(ANN, taskId)],
  ['what is pending', (testTenant) => testTenant.store.queries.pending.records(ANN, {})],
  [
    'another deadline',
    (testTenant, taskId) => testTenant.interactions.extend(ANN, formatInteractionId(taskId, 1), 1_000),
  ],
  ['a key', (testTenant) => testTenant.store.apiKeys.create({ name: 'k', scopes: ['mcp'] })],
  [
    'a limit',
    (testTenant) => testTenant.fixture.operators.update(testTenant.store.id, { limits: { openTasks: 5 } }),
  ],
  [
    'a change of a project',
    async (testTenant) => {
      const landed = await testTenant.store.projects.commit('p', undefined, change);
      // What was not confirmed landed all the same: a repeat hears that the project has moved on.
      if (landed !== 'committed' && (await testTenant.store.projects.open('p')) === undefined)
        throw new Error('not landed');
    },
  ],
])('%s is acknowledged only with a replica, and repeating it is safe', async (_what, call) => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const refused = await whileReplicaHangs(() => call(testTenant, taskId).catch((error: unknown) => error));
  expect(refused).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^0 of 1 replicas .* not known; repeat/),
  });
  // However often, until the replica has caught up.
  await expect.poll(() => errorCode(call(testTenant, taskId)), { timeout: 10_000 }).toBe('done');
});

test('an answer that is confirmed as taken before is confirmed only with a replica too', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await whileReplicaHangs(async () => {
    expect(await errorCode(testTenant.answer(taskId))).toBe('unavailable');
    expect(await errorCode(testTenant.answer(taskId)), 'it writes nothing, and yet').toBe('unavailable');
  });
  expect(await testTenant.answer(taskId)).toMatchObject({ replayed: true, event: 1 });
});

test('a task is cancelled once, though the first was not confirmed', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await whileReplicaHangs(async () =>
    expect(await errorCode(testTenant.tasks.cancel(ANN, taskId))).toBe('unavailable'),
  );
  await expect(testTenant.tasks.cancel(ANN, taskId)).rejects.toMatchObject({
    code: 'task_ended',
    details: { status: 'cancelled' },
  });
});

test('what has been acknowledged stands in the replica, however many come at once', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await Promise.all(Array.from({ length: 600 }, () => testTenant.openTask()));
  const found = await Promise.all(ids.map((id) => replica.exists(testTenant.keys.task(id))));
  expect(found.filter((one) => one === 0)).toEqual([]);
});

test('many calls share one WAIT, and a worker waits for none', async () => {
  const testTenant = await fixture.createTenant();
  const waits = async () => {
    const stats = await fixture.redis.info('commandstats');
    return Number(/cmdstat_wait:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const before = await waits();
  await Promise.all(Array.from({ length: 200 }, () => testTenant.openTask({ waits: [], ready: true })));
  const opened = await waits();
  expect(opened - before).toBeLessThan(20);
  for (const segment of await fixture.loadSegments(200)) {
    await segment.commit('p', undefined, change, { path: '1', entry: 'commit+1', journal: [] });
    await segment.settle({ status: 'completed', result: {} });
  }
  expect(await waits()).toBe(opened);
});

test('a subscription is to read again, since what was published may be undone by a failover', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const { inbox } = fixture.store;
  const listener = inbox.subscribe(testTenant.member(taskId));
  await testTenant.answer(taskId, 1, { channel: inbox.channel });
  await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
  expect(await listener.next(5_000)).toBe('reread');
  listener.close();
});

test('scripts that a restarted server does not know are sent again', async () => {
  const testTenant = await fixture.createTenant();
  await testTenant.openTask();
  await fixture.redis.script('FLUSH');
  const ids = await Promise.all(Array.from({ length: 20 }, () => testTenant.openTask()));
  expect(new Set(ids).size).toBe(20);
});

test('a fault of a script is its own, and of none that left with it', async () => {
  const testTenant = await fixture.createTenant();
  await fixture.redis.set(testTenant.keys.pending, 'no set');
  const [broken, whole] = await Promise.allSettled([
    testTenant.openTask({}, testTenant.store.operatorCaller()),
    testTenant.store.apiKeys.create({ name: 'k', scopes: ['mcp'] }),
  ]);
  expect(broken).toMatchObject({
    status: 'rejected',
    reason: expect.not.objectContaining({ code: 'unavailable' }),
  });
  expect(whole.status).toBe('fulfilled');
});

test('in a cluster WAIT goes to the node that has the write', { timeout: 60_000 }, async () => {
  const cluster = await startTestCluster();
  const args = ['--appendonly', 'no', '--cluster-enabled', 'yes', '--repl-diskless-sync-delay', '0'];
  const extra = await startPrivateRedis({ listen: 'tcp', args });
  const look = new Redis(cluster.nodes[0]!);
  const nodeOf = async (key: string) => (Number(await look.cluster('KEYSLOT', key)) < 8192 ? 0 : 1);
  // One node has a replica, that which holds the number of shards: its tenants are served, the other's are not.
  const served = await nodeOf('baton:{ops}:topology');
  const [master, joining] = [new Redis(cluster.nodes[served]!), new Redis(extra.url)];
  await joining.cluster('MEET', '127.0.0.1', Number(new URL(cluster.nodes[served]!).port));
  const id = String(await master.cluster('MYID'));
  const within = { timeout: 20_000 };
  await expect.poll(() => joining.cluster('REPLICATE', id).catch(() => 'not yet'), within).toBe('OK');
  await expect
    .poll(async () => (await master.info('replication')).includes('state=online'), within)
    .toBe(true);

  const sees = await connectFixture(cluster.url, {}, new Redis(cluster.nodes[0]!));
  const waits = await connectFixture(
    cluster.url,
    { replication: { replicas: 1, waitMs: 500, fsync: false } },
    new Redis(cluster.nodes[0]!),
  );
  const codes = new Set<string>();
  // Two on each node.
  for (
    const left = new Map([
      [true, 2],
      [false, 2],
    ]);
    left.get(true)! + left.get(false)! > 0;
  ) {
    const { store } = await sees.createTenant();
    const isServed = (await nodeOf(store.keys.tenant)) === served;
    if (left.get(isServed) === 0) continue;
    left.set(isServed, left.get(isServed)! - 1);
    const same = waits.store.tenant(store.id);
    const code = await errorCode(same.tasks.open(same.operatorCaller(), newTask()));
    codes.add(`${isServed ? 'with a replica' : 'without'}: ${code}`);
  }
  expect([...codes].sort()).toEqual(['with a replica: done', 'without: unavailable']);
  await Promise.all([closeFixture(sees), closeFixture(waits)]);
  for (const client of [look, master, joining]) client.disconnect();
  await Promise.all([cluster.stop(), extra.stop()]);
});
