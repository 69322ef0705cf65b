import { startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { runScript } from './script.ts';
import { JobWorkers, parseResumeJob } from '../shards.ts';
import { startTestCluster } from '../testing/redis-cluster.ts';
import { runEveryScript } from '../testing/every-script.ts';
import { closeFixture, type StoreFixture, connectFixture } from '../testing/store-fixture.ts';
import { ANN, type TestTenant } from '../testing/test-tenant.ts';
import { ScriptMonitor, type ScriptRun } from '../testing/script-monitor.ts';
import { ALL_SCRIPTS, type AnyScript } from '../testing/all-scripts.ts';
import { includesOf, readLua } from './lua-source.ts';
import { mutateScript } from '../testing/script-mutation.ts';
import { RELEASE_TASK } from './registry.ts';

const ALL_NAMES = [...ALL_SCRIPTS.values()].map((script) => script.name).sort();
const patient = { timeout: 120_000 };

const namesOf = (runs: readonly ScriptRun[]) => [...new Set(runs.map(({ script }) => script))].sort();

/** An answer wakes a worker through BullMQ, and the worker settles the task: nobody dequeues but its job. */
async function roundTripOverBullMq(fixture: StoreFixture, testTenant: TestTenant): Promise<void> {
  const index = fixture.keyspace.shardIndex(testTenant.store.id);
  const shard = fixture.shards[index]!;
  const jobs = new JobWorkers(fixture.store);
  jobs.start(shard, 'resume', async ({ data }) => {
    const batch = await shard.dequeue(parseResumeJob(data), []);
    if (batch.kind === 'no_program') return;
    const { segments } = await shard.load(testTenant.store.id, data.number, batch.notLoaded);
    const loaded = batch.kind === 'taken' ? batch.segments : [];
    for (const segment of [...loaded, ...segments]) await segment.settle({ status: 'completed', result: {} });
  });
  const taskId = await testTenant.openTask();
  await testTenant.answer(taskId);
  await vi.waitFor(async () => expect((await testTenant.tasks.read(ANN, taskId)).status).toBe('completed'), {
    timeout: 10_000,
    interval: 20,
  });
  await jobs.close();
}

test('no script touches a key that it was not given', patient, async () => {
  const server = await startPrivateRedis();
  const fixture = await connectFixture(server.url);
  const monitor = await ScriptMonitor.open(server.url);
  await runEveryScript(fixture, await fixture.createTenant());
  const runs = await monitor.runs();
  expect(namesOf(runs), 'every script runs in the scenario').toEqual(ALL_NAMES);
  expect(await monitor.undeclared(runs)).toEqual([]);
  const commands = runs.reduce((sum, one) => sum + one.commands.length, 0);
  expect(commands, 'what scripts do was recorded').toBeGreaterThan(200);
  monitor.close();
  await closeFixture(fixture);
  await server.stop();
});

test('a script that builds a key inside is detected', patient, async () => {
  const server = await startPrivateRedis();
  const fixture = await connectFixture(server.url);
  const planted: AnyScript = mutateScript(RELEASE_TASK, [
    "return {'stale'}",
    "redis.call('SET', K_task .. ':note', 1)",
  ]);
  const monitor = await ScriptMonitor.open(server.url);
  await runScript(
    { connection: fixture.connection, keys: {} },
    planted,
    { task: 'x:task' },
    { fence: 1, tries: 1 },
  );
  const runs = await monitor.runs([planted]);
  expect(await monitor.undeclared(runs)).toEqual(['task/release_task SET x:task:note']);
  monitor.close();
  await closeFixture(fixture);
  await server.stop();
});

test(
  'everything works on a cluster whose tenants are on different nodes, BullMQ included',
  patient,
  async () => {
    const cluster = await startTestCluster();
    const fixture = await connectFixture(cluster.url, {}, new Redis(cluster.nodes[0]!));
    const monitors = await Promise.all(cluster.nodes.map((node) => ScriptMonitor.open(node)));
    const testTenants = [
      await fixture.createTenant({}, tenantOn(fixture, 0)),
      await fixture.createTenant({}, tenantOn(fixture, 1)),
    ];
    for (const testTenant of testTenants) {
      await runEveryScript(fixture, testTenant);
      await roundTripOverBullMq(fixture, testTenant);
    }
    for (const [node, monitor] of monitors.entries()) {
      const runs = await monitor.runs();
      expect(namesOf(runs), `every script runs on node ${node}`).toEqual(ALL_NAMES);
      expect(await monitor.undeclared(runs)).toEqual([]);
      expect(runs.flatMap(({ keys }) => keys).join(' ')).not.toContain(testTenants[1 - node]!.store.id);
      monitor.close();
    }
    await closeFixture(fixture);
    await cluster.stop();
  },
);

test('everything works as a user who may touch the prefix alone, BullMQ included', patient, async () => {
  const server = await startPrivateRedis({ listen: 'tcp' });
  const root = new Redis(server.url);
  await root.call(
    'ACL',
    'SETUSER',
    'baton',
    'on',
    '>pass',
    '~mine*',
    '&mine*',
    '+@all',
    '-@dangerous',
    '+info',
    '+client',
  );
  const url = server.url.replace('redis://', 'redis://baton:pass@');
  const monitor = await ScriptMonitor.open(server.url);
  const fixture = await connectFixture(url, { prefix: 'mine', shards: 2 }, root);
  await expect(fixture.connection.command((client) => client.set('other:key', 1))).rejects.toThrow('NOPERM');
  const testTenant = await fixture.createTenant();
  await runEveryScript(fixture, testTenant);
  await roundTripOverBullMq(fixture, testTenant);
  expect(await monitor.undeclared(await monitor.runs())).toEqual([]);
  const foreign = (await root.keys('*')).filter((key) => !key.startsWith('mine:{'));
  expect(foreign, 'no key stands outside the prefix').toEqual([]);
  const bull = (await root.keys('*')).filter((key) => /:resume:/.test(key));
  expect(bull.length).toBeGreaterThan(0);
  expect(bull.filter((key) => !/^mine:\{s\d\}:bull:/.test(key))).toEqual([]);
  monitor.close();
  await closeFixture(fixture);
  await server.stop();
});

/** A tenant's name that is hashed to a slot of the given node. */
function tenantOn(fixture: StoreFixture, node: number): string {
  for (let at = 0; ; at++) {
    const { base } = fixture.keyspace.tenant(`tenant-${at}`).shard;
    if (Math.floor(slotOf(base) / 8192) === node) return `tenant-${at}`;
  }
}

/** CRC-16/XMODEM of the hash tag, as the cluster's specification has it. */
function slotOf(key: string): number {
  const tag = /\{(.+?)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff) >>> 0;
  }
  return crc % 16384;
}

test('every key and argument that a script is given stands in it', () => {
  for (const { name, keys, args } of ALL_SCRIPTS.values()) {
    const text = readLua(name);
    const whole = [...includesOf(text), text].join('\n');
    const constants = [...keys.map((key) => `K_${key}`), ...args.map((arg) => `A_${arg}`)];
    expect(
      constants.filter((constant) => !new RegExp(`\\b${constant}\\b`).test(whole)),
      name,
    ).toEqual([]);
  }
});
