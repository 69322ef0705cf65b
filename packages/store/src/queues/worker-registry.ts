import { CachedRead } from '../redis/cached-read.ts';
import type { Connection } from '../redis/connection.ts';
import type { ShardKeys } from '../records/keys.ts';
import { runScript } from '../scripts/script.ts';
import { WORKER_HEARTBEAT } from '../scripts/registry.ts';
import { WORKER_TTL } from '../records/durations.ts';

/** The live workers of a shard, each with its programs (`"<name> <version>"`). A worker lives until WORKER_TTL after its last heartbeat. */
export class WorkerRegistry {
  private readonly connection: Connection;
  private readonly keys: ShardKeys;
  private readonly cached = new CachedRead(() => this.readPrograms());

  constructor(connection: Connection, keys: ShardKeys) {
    this.connection = connection;
    this.keys = keys;
  }

  /** The programs of all live workers, at most a second old; undefined when no worker lives. */
  programs(): Promise<ReadonlySet<string> | undefined> {
    return this.cached.get();
  }

  /** Registers a worker as live. Returns how long ago the shard's last sweep began, in milliseconds, or -1. */
  async heartbeat(worker: string, programs: readonly string[]): Promise<number> {
    return this.sendHeartbeat(worker, programs, WORKER_TTL);
  }

  /** Removes a worker that stops. */
  async deregister(worker: string, programs: readonly string[]): Promise<void> {
    await this.sendHeartbeat(worker, programs, 0);
  }

  private async sendHeartbeat(worker: string, programs: readonly string[], ttl: number): Promise<number> {
    const member = `${worker} ${programs.join(',')}`;
    const [ms] = await runScript(
      { connection: this.connection, keys: this.keys },
      WORKER_HEARTBEAT,
      {},
      { worker: member, ttl },
    );
    return Number(ms);
  }

  private async readPrograms(): Promise<ReadonlySet<string> | undefined> {
    const members = await this.connection.command(async (client) => {
      const [seconds] = await client.time();
      return client.zrangebyscore(this.keys.workers, Number(seconds) * 1_000, '+inf');
    });
    if (members.length === 0) return undefined;
    return new Set(members.flatMap((member) => member.slice(member.indexOf(' ') + 1).split(',')));
  }
}
