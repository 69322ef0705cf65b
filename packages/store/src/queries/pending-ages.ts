import type { Keyspace, ShardKeys } from '../records/keys.ts';
import type { Connection } from '../redis/connection.ts';

/** How many interactions have waited for an answer for so long. */
export interface PendingAge {
  readonly age: (typeof AGES)[number][0];
  readonly count: number;
}

/** Each age with the milliseconds below which it ends; a label that Prometheus takes. */
const AGES = [
  ['under_1m', 60_000],
  ['under_10m', 600_000],
  ['under_1h', 3_600_000],
  ['over_1h', Number.POSITIVE_INFINITY],
] as const;

/** So many tenants are asked about in one turn of the event loop. */
const TENANTS_AT_ONCE = 250;

/** Of the time, counting takes at most one part in so many, and what was counted is told for so long at most. */
const REST_PER_COUNT = 100;
const MAX_REST_MS = 60_000;

/**
 * What waits for an answer in the whole deployment, by age. It is counted by walking all tenants that have tasks, so that what was counted is told
 * again until a hundred times as long has passed as that took: at once with a few tenants, and within seconds with thousands. A count that failed is
 * not kept.
 */
export class PendingAges {
  private readonly connection: Connection;
  private readonly keyspace: Keyspace;
  private counted: Promise<readonly PendingAge[]> | undefined;
  private staleAt = 0;

  constructor(connection: Connection, keyspace: Keyspace) {
    this.connection = connection;
    this.keyspace = keyspace;
  }

  /** Errors: `unavailable`. */
  count(): Promise<readonly PendingAge[]> {
    if (this.counted === undefined || performance.now() >= this.staleAt) {
      this.staleAt = Number.POSITIVE_INFINITY;
      this.counted = this.countAndRest();
    }
    return this.counted;
  }

  private async countAndRest(): Promise<readonly PendingAge[]> {
    const began = performance.now();
    let restMs = 0;
    try {
      const counts = await this.countAll();
      restMs = Math.min((performance.now() - began) * REST_PER_COUNT, MAX_REST_MS);
      return counts;
    } finally {
      this.staleAt = performance.now() + restMs;
    }
  }

  private async countAll(): Promise<readonly PendingAge[]> {
    const counts = AGES.map(() => 0);
    for (let shard = 0; shard < this.keyspace.shards; shard++)
      await this.countShard(this.keyspace.shard(shard), counts);
    return AGES.map(([age], at) => ({ age, count: counts[at] ?? 0 }));
  }

  /** Whatever waits has a deadline, and its tenant is among those that have one. */
  private async countShard({ due }: ShardKeys, counts: number[]): Promise<void> {
    for (let from = 0; ; from += TENANTS_AT_ONCE) {
      const { tenants, now } = await this.connection.command(async (client) => {
        const [[seconds], names] = await Promise.all([
          client.time(),
          client.zrange(due, `${from}`, `${from + TENANTS_AT_ONCE - 1}`),
        ]);
        return { tenants: names, now: Number(seconds) * 1_000 };
      });
      await this.countTenants(tenants, now, counts);
      if (tenants.length < TENANTS_AT_ONCE) return;
    }
  }

  private async countTenants(tenants: readonly string[], now: number, counts: number[]): Promise<void> {
    const sets = tenants.map((tenant) => this.keyspace.tenant(tenant).pending);
    const sizes = await this.pipelined(sets.map((set) => ['zcard', set]));
    const waiting = sets.filter((_, at) => (sizes[at] ?? 0) > 0);
    const commands = waiting.flatMap((set) =>
      AGES.map(([, below], at) => {
        const newest = now - (AGES[at - 1]?.[1] ?? Number.NEGATIVE_INFINITY);
        return ['zcount', set, `(${formatScore(now - below)}`, formatScore(newest)];
      }),
    );
    for (const [at, count] of (await this.pipelined(commands)).entries())
      counts[at % AGES.length] = (counts[at % AGES.length] ?? 0) + count;
  }

  /** The keys of a shard are of one slot. */
  private pipelined(commands: string[][]): Promise<readonly number[]> {
    return this.connection.command(async (client) => {
      const replies = (await client.pipeline(commands).exec()) ?? [];
      return replies.map(([error, reply]) => {
        if (error !== null) throw error;
        return Number(reply);
      });
    });
  }
}

function formatScore(score: number): string {
  if (Number.isFinite(score)) return String(score);
  return score > 0 ? '+inf' : '-inf';
}
