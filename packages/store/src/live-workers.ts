import type { Connection } from './connection.ts';
import type { ShardKeys } from './keys.ts';
import { run } from './scripts/script.ts';
import { WORKER_HEARTBEAT } from './scripts/registry.ts';
import { WORKER_TTL } from './ttl.ts';

/** For so long a process answers from what it last read of a shard's workers, in milliseconds. */
const FRESH_MS = 1_000;

/** The workers of a shard that live, each with the programs that it has (`"<name> <version>"`). */
export class LiveWorkers {
  private readonly connection: Connection;
  private readonly keys: ShardKeys;
  private read:
    | { readonly at: number; readonly programs: Promise<ReadonlySet<string> | undefined> }
    | undefined;

  constructor(connection: Connection, keys: ShardKeys) {
    this.connection = connection;
    this.keys = keys;
  }

  /** The programs that live workers have, as they stood within the last second; undefined where no worker lives. */
  programs(): Promise<ReadonlySet<string> | undefined> {
    const now = performance.now();
    if (this.read === undefined || now - this.read.at > FRESH_MS) {
      const programs = this.readNow();
      const read = { at: now, programs };
      this.read = read;
      programs.catch(() => {
        if (this.read === read) this.read = undefined;
      });
    }
    return this.read.programs;
  }

  /** Says that a worker lives; how long ago the last sweep of the shard began, in milliseconds, or -1. */
  async announce(worker: string, programs: readonly string[]): Promise<number> {
    return this.heartbeat(worker, programs, WORKER_TTL);
  }

  /** Says that a worker ends. */
  async withdraw(worker: string, programs: readonly string[]): Promise<void> {
    await this.heartbeat(worker, programs, 0);
  }

  private async heartbeat(worker: string, programs: readonly string[], ttl: number): Promise<number> {
    const { workers, swept } = this.keys;
    const member = `${worker} ${programs.join(',')}`;
    const [ms] = await run(this.connection, WORKER_HEARTBEAT, { workers, swept }, { worker: member, ttl });
    return Number(ms);
  }

  private async readNow(): Promise<ReadonlySet<string> | undefined> {
    const members = await this.connection.command(async (client) => {
      const [seconds] = await client.time();
      return client.zrangebyscore(this.keys.workers, Number(seconds) * 1_000, '+inf');
    });
    if (members.length === 0) return undefined;
    return new Set(members.flatMap((member) => member.slice(member.indexOf(' ') + 1).split(',')));
  }
}
