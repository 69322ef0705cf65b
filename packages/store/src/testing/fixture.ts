/**
 * The store over a real Redis of its own, for tests. `guest` is a tenant with callers, `contents` what Redis holds,
 * `wiretap` what scripts answer and their mutants, `monitor` what they touch, `cluster` two nodes, `every-script` a scenario.
 */
import { startPrivateRedis } from '@baton/local-redis';
import type { Limits } from '@baton/protocol';
import { Redis } from 'ioredis';
import { afterAll, beforeEach } from 'vitest';
import type { Connection } from '../connection.ts';
import { internalsOf } from '../internals.ts';
import type { Keyspace } from '../keys.ts';
import { OperatorDoor } from '../operator.ts';
import type { Segment } from '../segment.ts';
import type { Shard } from '../shard.ts';
import { openShards } from '../shards.ts';
import { Store, type StoreOptions } from '../store.ts';
import { contents } from './contents.ts';
import { Guest } from './guest.ts';
import { Wiretap } from './wiretap.ts';

/** One process's store, and a client that looks past it. */
export class Fixture {
  readonly url: string;
  readonly store: Store;
  readonly redis: Redis;
  readonly connection: Connection;
  readonly keyspace: Keyspace;
  readonly operators: OperatorDoor;
  readonly shards: readonly Shard[];
  readonly wiretap: Wiretap;

  constructor(url: string, store: Store, redis: Redis) {
    this.url = url;
    this.store = store;
    this.redis = redis;
    const { connection, keyspace } = internalsOf(store);
    this.connection = connection;
    this.keyspace = keyspace;
    this.operators = new OperatorDoor(store);
    this.shards = openShards(store);
    this.wiretap = new Wiretap(connection);
  }

  guest(limits: Partial<Limits> = {}, id?: string): Promise<Guest> {
    return Guest.open(this, limits, id);
  }

  get shard(): Shard {
    return this.shards[0]!;
  }

  /** The keys of the only shard. */
  get places() {
    return this.keyspace.shard(0);
  }

  /** The next ready task, loaded. Throws when none is. */
  async take(shard = this.shard): Promise<Segment> {
    const { segments } = await shard.take(1);
    if (segments[0] === undefined) throw new Error('nothing is ready');
    return segments[0];
  }

  /** A sweep that the interval does not hold back. */
  async sweep(shard = this.shard): Promise<boolean> {
    await this.connection.command((client) => client.del(this.keyspace.shard(shard.index).swept));
    return shard.sweep();
  }

  /** The holder of a lease has died, and its time is over. */
  async endLease(member: string): Promise<void> {
    await this.redis.zadd(this.places.leased, 'XX', 0, member);
  }

  async isLeased(member: string): Promise<boolean> {
    return (await this.redis.zscore(this.places.leased, member)) !== null;
  }

  contents(): Promise<Record<string, unknown>> {
    return contents(this.redis, this.keyspace.prefix);
  }
}

/** A store on a server of its own until the file's tests are over, empty before each. */
export async function openFixture(
  options: Partial<StoreOptions> & { args?: readonly string[] } = {},
): Promise<Fixture> {
  const { args = [], ...others } = options;
  const server = await startPrivateRedis({ args: ['--appendonly', 'no', ...args] });
  const fixture = await fixtureAt(server.url, others);
  beforeEach(async () => void (await fixture.redis.flushall()));
  afterAll(async () => {
    await closeFixture(fixture);
    await server.stop();
  });
  return fixture;
}

export async function fixtureAt(
  url: string,
  options: Partial<StoreOptions> = {},
  look = new Redis(plain(url)),
): Promise<Fixture> {
  const store = await Store.open({ url, secret: 'pepper', replica: 'replica-1', ...options });
  return new Fixture(url, store, look);
}

export async function closeFixture(fixture: Fixture): Promise<void> {
  await fixture.store.close();
  fixture.redis.disconnect();
}

/** A URL as ioredis itself reads it. */
export function plain(url: string): string {
  return url.replace('unix://', '');
}
