/**
 * The store over a real Redis of its own, for tests. `testTenant` is a tenant with callers, `contents` what Redis holds,
 * `script-recorder` what scripts reply, `script-mutation` their mutants, `script-monitor` what they touch, `redis-cluster` two nodes, `every-script` a scenario.
 */
import { startPrivateRedis } from '@baton/local-redis';
import type { Limits } from '@baton/protocol';
import { Redis } from 'ioredis';
import type { Connection } from '../redis/connection.ts';
import { storeInternalsOf } from '../store-internals.ts';
import { type Keyspace, taskIdFromRef } from '../records/keys.ts';
import { OperatorStore } from '../operator-store.ts';
import { runScript } from '../scripts/script.ts';
import { REQUEUE_LOST_JOBS } from '../scripts/registry.ts';
import type { FencedSegment } from '../tasks/fenced-segment.ts';
import type { WorkerShard } from '../shard/worker-shard.ts';
import { createWorkerShards } from '../shards.ts';
import { Store, type StoreOptions } from '../store.ts';
import { readRedisContents } from './redis-contents.ts';
import { TestTenant } from './test-tenant.ts';
import { ScriptRecorder } from './script-recorder.ts';

/** One process's store, and a client that looks past it. */
export class StoreFixture {
  readonly url: string;
  readonly store: Store;
  readonly redis: Redis;
  readonly connection: Connection;
  readonly keyspace: Keyspace;
  readonly operators: OperatorStore;
  readonly shards: readonly WorkerShard[];
  readonly recorder: ScriptRecorder;
  private readonly tenants: TestTenant[] = [];
  /** Numbers that no script gives. */
  private jobs = 1_000_000;

  constructor(url: string, store: Store, redis: Redis) {
    this.url = url;
    this.store = store;
    this.redis = redis;
    const { connection, keyspace } = storeInternalsOf(store);
    this.connection = connection;
    this.keyspace = keyspace;
    this.operators = new OperatorStore(store);
    this.shards = createWorkerShards(store);
    this.recorder = new ScriptRecorder(connection);
  }

  async createTenant(limits: Partial<Limits> = {}, id?: string): Promise<TestTenant> {
    const testTenant = await TestTenant.create(this, limits, id);
    this.tenants.push(testTenant);
    return testTenant;
  }

  get shard(): WorkerShard {
    return this.shards[0]!;
  }

  /** The keys of the only shard. */
  get shardKeys() {
    return this.keyspace.shard(0);
  }

  /** The next ready task, loaded, for a job of its own. Throws when none is. */
  async loadSegment(shard = this.shard): Promise<FencedSegment> {
    const [segment] = await this.loadSegments(1, shard);
    if (segment === undefined) throw new Error('nothing is ready');
    return segment;
  }

  /** Up to `most` ready tasks of the first testTenant that has any, loaded, for a job of their own. */
  async loadSegments(most: number, shard = this.shard): Promise<FencedSegment[]> {
    for (const { store } of this.tenants) {
      if (this.keyspace.shardIndex(store.id) !== shard.index) continue;
      const job = { tenant: store.id, list: 'ready' as const, number: this.jobs++, tasks: [] };
      const batch = await shard.dequeue(job, [], { limit: most });
      if (batch.kind !== 'taken' || batch.notLoaded.length === 0) continue;
      return (await shard.load(store.id, job.number, batch.notLoaded)).segments;
    }
    return [];
  }

  /** BullMQ has lost every job of a testTenant: what those had is ready again. */
  async loseJobs(testTenant: TestTenant): Promise<void> {
    const { keys } = testTenant;
    const jobs = await this.connection.command((client) => client.hgetall(keys.jobs));
    const lost = Object.keys(jobs).filter((field) => /^\d+$/.test(field));
    const refs = lost.flatMap((number) => (jobs[number] ?? '').split(' '));
    await runScript(
      { connection: this.connection, keys },
      REQUEUE_LOST_JOBS,
      {},
      { topic: keys.pendingTopic, lost: lost.length },
      { keys: refs.map((ref) => keys.task(taskIdFromRef(ref))), args: [...lost, ...refs] },
    );
  }

  /** Gives tasks what has fallen due. */
  async sweep(shard = this.shard): Promise<void> {
    await shard.sweepDueTasks();
  }

  contents(): Promise<Record<string, unknown>> {
    return readRedisContents(this.redis, this.keyspace.prefix);
  }
}

/** A store on a server of its own until the file's tests are over, empty before each. */
export async function openFixture(
  options: Partial<StoreOptions> & { args?: readonly string[] } = {},
): Promise<StoreFixture> {
  // Not at the top: a benchmark uses the rest of this file.
  const { afterAll, beforeEach } = await import('vitest');
  const { args = [], ...others } = options;
  const server = await startPrivateRedis({ args: ['--appendonly', 'no', ...args] });
  const fixture = await connectFixture(server.url, others);
  beforeEach(async () => void (await fixture.redis.flushall()));
  afterAll(async () => {
    await closeFixture(fixture);
    await server.stop();
  });
  return fixture;
}

export async function connectFixture(
  url: string,
  options: Partial<StoreOptions> = {},
  look = new Redis(ioredisUrl(url)),
): Promise<StoreFixture> {
  const store = await Store.open({ url, secret: 'pepper', replica: 'replica-1', ...options });
  return new StoreFixture(url, store, look);
}

export async function closeFixture(fixture: StoreFixture): Promise<void> {
  await fixture.store.close();
  fixture.redis.disconnect();
}

/** A URL as ioredis itself reads it. */
export function ioredisUrl(url: string): string {
  return url.replace('unix://', '');
}
