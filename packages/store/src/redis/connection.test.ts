import { startPrivateRedis } from '@baton/local-redis';
import { BatonError, formatInteractionId } from '@baton/protocol';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Connection } from './connection.ts';
import { unreadyReason } from './redis-errors.ts';
import { storeInternalsOf } from '../store-internals.ts';
import { runScript } from '../scripts/script.ts';
import { READ_TASK_AND_REGISTER_WAITER } from '../scripts/registry.ts';
import { Store } from '../store.ts';
import { reportRedis } from '../redis-report.ts';
import { startTestCluster } from '../testing/redis-cluster.ts';
import { refuseWrites } from '../testing/refuse-writes.ts';
import { closeFixture, connectFixture, ioredisUrl } from '../testing/store-fixture.ts';
import { ANN, errorCode } from '../testing/test-tenant.ts';
import { mutateScript } from '../testing/script-mutation.ts';

const patient = { timeout: 60_000 };
const options = { secret: 's', replica: 'r' };

async function connectionsOf(url: string): Promise<number> {
  const look = new Redis(ioredisUrl(url));
  const list = ((await look.client('LIST')) as string).trim().split('\n');
  look.disconnect();
  return list.length - 1;
}

test.concurrent.each(['allkeys-lru', 'volatile-ttl'])(
  'a server that would evict by %s is refused, naming it',
  patient,
  async (policy) => {
    const server = await startPrivateRedis({ args: ['--maxmemory-policy', policy] });
    const refused = await Store.open({ ...options, url: server.url }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BatonError);
    expect(refused).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`maxmemory-policy ${policy}`),
    });
    await vi.waitFor(async () => expect(await connectionsOf(server.url)).toBe(0));
    await server.stop();
  },
);

test.concurrent('a cluster is refused when any of its nodes would evict', patient, async () => {
  const cluster = await startTestCluster();
  const second = new Redis(cluster.nodes[1]!);
  await second.config('SET', 'maxmemory-policy', 'volatile-lru');
  await expect(Connection.open(cluster.url)).rejects.toThrow('maxmemory-policy volatile-lru');
  await second.config('SET', 'maxmemory-policy', 'noeviction');
  await (await Connection.open(cluster.url)).close();
  second.disconnect();
  await cluster.stop();
});

test.concurrent(
  'a server that closes each connection is told from one that does not answer',
  patient,
  async () => {
    const closing = createServer(
      (socket) => void socket.end('-DENIED Redis is running in protected mode\r\n'),
    );
    closing.listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const { port } = closing.address() as AddressInfo;
    await expect(Store.open({ ...options, url: `redis://127.0.0.1:${port}` })).rejects.toThrow(
      /closes each connection at once.*protected-mode no/,
    );
    closing.close();
  },
);

test.concurrent('a wrong password is told in the words of Redis', patient, async () => {
  const server = await startPrivateRedis();
  const redis = new Redis(ioredisUrl(server.url));
  await redis.config('SET', 'requirepass', 'right');
  await expect(Store.open({ ...options, url: server.url })).rejects.toThrow(/NOAUTH/);
  redis.disconnect();
  await server.stop();
});

test.concurrent.each([
  'redis://:hush@127.0.0.1:1',
  'redis+cluster://me:hush@127.0.0.1:1,127.0.0.1:2',
  'unix:///nowhere/redis.sock',
])('no server at %s: it is unavailable, and says where without the password', patient, async (url) => {
  const refused = await Store.open({ ...options, url }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(url.split(/[/@,]/).at(-1)!),
  });
  expect(String(refused)).not.toContain('hush');
});

test.concurrent(
  'a Redis that was stopped is unavailable at once, and what was accepted is there after its restart',
  patient,
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'baton-store-'));
    const first = await startPrivateRedis({ dir, args: ['--appendfsync', 'always'] });
    const fixture = await connectFixture(first.url);
    const testTenant = await fixture.createTenant();
    const taskId = await testTenant.openTask();
    await testTenant.answer(taskId);
    await first.stop();
    for (const call of [
      () => testTenant.tasks.read(ANN, taskId),
      () => fixture.store.ping(),
      () => testTenant.store.projects.open('p'),
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.not.stringContaining('timed out'),
      });
    const second = await startPrivateRedis({ dir });
    await vi.waitFor(
      async () => expect((await testTenant.tasks.read(ANN, taskId)).status).toBe('working'),
      10_000,
    );
    expect((await fixture.loadSegment()).task.journal.get('0')).toBe('llm+"yes"');
    await closeFixture(fixture);
    await second.stop();
    await rm(dir, { recursive: true });
  },
);

test.concurrent(
  'a Redis that hangs is unavailable after the time-out, and usable again when it goes on',
  patient,
  async () => {
    const server = await startPrivateRedis();
    const fixture = await connectFixture(server.url);
    const testTenant = await fixture.createTenant();
    const taskId = await testTenant.openTask();
    process.kill(server.pid, 'SIGSTOP');
    const refused = await Promise.allSettled([fixture.store.ping(), testTenant.tasks.cancel(ANN, taskId)]);
    process.kill(server.pid, 'SIGCONT');
    for (const call of refused)
      expect(call).toMatchObject({
        status: 'rejected',
        reason: { code: 'unavailable', message: expect.stringContaining('timed out') },
      });
    await fixture.store.ping();
    await testTenant.openTask();
    await closeFixture(fixture);
    await server.stop();
  },
);

test.concurrent(
  'a full Redis is unavailable, loses nothing, and takes answers again when there is room',
  patient,
  async () => {
    const server = await startPrivateRedis({ args: ['--maxmemory', '100mb'] });
    const fixture = await connectFixture(server.url);
    const { redis } = fixture;
    const testTenant = await fixture.createTenant();
    const taskId = await testTenant.openTask();
    await redis.config('SET', 'maxmemory', 1);
    const refused = await testTenant
      .answer(taskId, 1, { as: testTenant.store.operatorCaller() })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('memory is full'),
    });
    expect(await errorCode(testTenant.openTask({}, testTenant.store.operatorCaller()))).toBe('unavailable');
    await redis.config('SET', 'maxmemory', '100mb');
    expect(await testTenant.answer(taskId)).toMatchObject({ replayed: false });
    await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
    await closeFixture(fixture);
    await server.stop();
  },
);

test.concurrent(
  'a Redis that cannot persist is unavailable in its own words, and usable again when it can',
  patient,
  async () => {
    const server = await startPrivateRedis();
    const fixture = await connectFixture(server.url);
    const testTenant = await fixture.createTenant();
    const allowWrites = await refuseWrites(server, fixture.redis);
    const told = await fixture.store.ping().catch((error: unknown) => error);
    expect(unreadyReason(told)).toMatch(/^redis takes no writes: .* unable to persist to disk$/);
    expect(told).toMatchObject({ code: 'unavailable', message: expect.stringContaining(server.url) });
    expect(await errorCode(testTenant.openTask())).toBe('unavailable');
    await vi.waitFor(() => expect(fixture.store.redisMemory.usable).toBe(false), 10_000);
    const second = await Store.open({ ...options, url: server.url, secret: 'pepper' });
    await second.close();
    await expect(reportRedis(server.url, 'baton')).rejects.toThrow(
      /takes no writes: .*make room on its disk/,
    );
    await allowWrites();
    await fixture.store.ping();
    await vi.waitFor(() => expect(fixture.store.redisMemory.usable).toBe(true), 10_000);
    await testTenant.openTask();
    await closeFixture(fixture);
    await server.stop();
  },
);

test.concurrent("a script's own fault is not passed off as a Redis that cannot", patient, async () => {
  const server = await startPrivateRedis();
  const connection = await Connection.open(server.url);
  const broken = mutateScript(READ_TASK_AND_REGISTER_WAITER, ["return {'task_not_found'}", 'nothing.here()']);
  const thrown = runScript(
    { connection, keys: {} },
    broken,
    { credential: 'credential', tenant: 'tenant', rates: 'r', task: 'k' },
    Object.fromEntries(READ_TASK_AND_REGISTER_WAITER.args.map((name) => [name, ''])) as Record<
      (typeof READ_TASK_AND_REGISTER_WAITER.args)[number],
      string
    >,
  );
  await expect(thrown).rejects.not.toBeInstanceOf(BatonError);
  await expect(thrown).rejects.toThrow('nothing');
  await connection.close();
  await server.stop();
});

test.concurrent('scripts that a restarted server does not know are sent again', patient, async () => {
  const server = await startPrivateRedis();
  const fixture = await connectFixture(server.url);
  const testTenant = await fixture.createTenant();
  await testTenant.openTask();
  await fixture.redis.script('FLUSH');
  const taskId = await testTenant.openTask();
  expect((await testTenant.store.queries.interaction(ANN, formatInteractionId(taskId, 1))).status).toBe(
    'pending',
  );
  await closeFixture(fixture);
  await server.stop();
});

test.concurrent(
  'the number of shards is fixed by the first start, whoever starts later and with whatever number',
  patient,
  async () => {
    const server = await startPrivateRedis();
    const url = server.url;
    const shardsOf = (store: Store) => storeInternalsOf(store).keyspace.shards;
    const first = await Promise.all(
      [5, 5].map((shards, at) => Store.open({ ...options, url, shards, replica: `r${at}` })),
    );
    expect(first.map(shardsOf)).toEqual([5, 5]);
    const later = await Store.open({ ...options, url });
    expect(shardsOf(later)).toBe(5);
    await Promise.all([...first, later].map((store) => store.close()));
    await vi.waitFor(async () => expect(await connectionsOf(url)).toBe(0));
    await expect(Store.open({ ...options, url, shards: 8 })).rejects.toMatchObject({
      code: 'unavailable',
      exitCode: 78,
      message: expect.stringMatching(/BATON_SHARDS is 8, and this Redis holds .* in 5:/),
    });
    await vi.waitFor(async () =>
      expect(await connectionsOf(url), 'a refused start leaves no connection').toBe(0),
    );
    const elsewhere = await Store.open({ ...options, url, prefix: 'other' });
    expect(shardsOf(elsewhere), 'another prefix is another deployment; one Redis has one shard').toBe(1);
    await elsewhere.close();
    // A release that lays records out otherwise shares no work with this one.
    const redis = new Redis(url.slice('unix://'.length));
    await redis.hset('baton:{ops}:topology', 'layout', 'another');
    redis.disconnect();
    await expect(Store.open({ ...options, url })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/in layout another, and this release reads layout 2/),
    });
    await server.stop();
  },
);
