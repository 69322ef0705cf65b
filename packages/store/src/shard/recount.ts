import { randomBytes } from 'node:crypto';
import type { Keyspace, ShardKeys, TenantKeys } from '../records/keys.ts';
import { parseIndexMember } from '../records/keys.ts';
import { RECOUNT_INTERVAL } from '../records/durations.ts';
import type { Connection } from '../redis/connection.ts';
import { FINISH_RECOUNT, RECOUNT_PROJECTS, RECOUNT_TASKS, START_RECOUNT } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';

/** One run of a script looks at so many records. */
const RECORDS_PER_STEP = 100;
const TENANTS_PER_STEP = 100;

/** Where the recount of a shard stands. An empty `tenant` is the time between two rounds, which lasts until `next`. */
interface Position {
  readonly next: number;
  /** The last tenant of the list of all that was looked at. */
  readonly after: string;
  /** The tenant that is recounted, and by which number. */
  readonly tenant: string;
  readonly walk: string;
  /** A time at which the recount had begun: tasks that are opened from then on are counted by it as they are opened. */
  readonly until: number;
  readonly part: 'projects' | 'tasks';
  /** The last project's key, or the score of the last task in the index. */
  readonly cursor: string;
}

/**
 * Recounts what the tenants of a shard store, one after another, a little in each step: a count that is wrong, since a record
 * was written by an earlier release or has left past Baton, is right again after a round. Rounds begin every RECOUNT_INTERVAL.
 * The position stands in Redis; a step that is run twice, or by two workers at once, counts no record twice.
 */
export class Recount {
  private readonly connection: Connection;
  private readonly keyspace: Keyspace;
  private readonly shard: number;
  private readonly keys: ShardKeys;

  constructor(connection: Connection, keyspace: Keyspace, shard: number) {
    this.connection = connection;
    this.keyspace = keyspace;
    this.shard = shard;
    this.keys = keyspace.shard(shard);
  }

  /** One step. False between two rounds. */
  async step(): Promise<boolean> {
    const position = await this.read();
    const now = await this.now();
    if (position.tenant === '') {
      if (position.next > now && position.after === '') return false;
      await this.write(await this.nextTenant(position, now));
      return true;
    }
    const keys = this.keyspace.tenant(position.tenant);
    const next =
      position.part === 'projects'
        ? await this.countProjects(keys, position)
        : await this.countTasks(keys, position);
    await this.write(next ?? { ...position, tenant: '' });
    return true;
  }

  private async nextTenant({ after, next }: Position, now: number): Promise<Position> {
    const from = after === '' ? '-' : `(${after}`;
    const ids = await this.connection.command((client) =>
      client.zrange(this.keyspace.tenants, from, '+', 'BYLEX', 'LIMIT', 0, TENANTS_PER_STEP),
    );
    const begun = {
      next: after === '' ? now + RECOUNT_INTERVAL : next,
      part: 'projects',
      cursor: '',
    } as const;
    const last = ids.at(-1);
    if (last === undefined) return { ...begun, after: '', tenant: '', walk: '', until: 0 };
    const tenant = ids.find((id) => this.keyspace.shardIndex(id) === this.shard);
    if (tenant === undefined) return { ...begun, after: last, tenant: '', walk: '', until: 0 };
    const walk = randomBytes(6).toString('base64url');
    const [code] = await runScript(
      this.connection,
      START_RECOUNT,
      { tenant: this.keyspace.tenant(tenant).record },
      { walk },
    );
    const until = await this.now();
    return { ...begun, after: tenant, tenant: code === 'started' ? tenant : '', walk, until };
  }

  /** Undefined when another recount of the tenant has begun. */
  private async countProjects(keys: TenantKeys, position: Position): Promise<Position | undefined> {
    const from = position.cursor === '' ? '-' : `(${position.cursor}`;
    const names = await this.connection.command((client) =>
      client.zrange(keys.projects, from, '+', 'BYLEX', 'LIMIT', 0, RECORDS_PER_STEP),
    );
    if (names.length === 0) return { ...position, part: 'tasks', cursor: '' };
    const looked = await this.looked(
      runScript(
        this.connection,
        RECOUNT_PROJECTS,
        { tenant: keys.record, projectUse: keys.projectUse },
        { walk: position.walk },
        { keys: names.map((name) => keys.project(name)), args: names },
      ),
    );
    return looked === undefined ? undefined : { ...position, cursor: names[looked - 1] ?? '' };
  }

  private async countTasks(keys: TenantKeys, position: Position): Promise<Position | undefined> {
    const from = position.cursor === '' ? '-inf' : `(${position.cursor}`;
    const rows = await this.connection.command((client) =>
      client.zrange(
        keys.tasks,
        from,
        String(position.until),
        'BYSCORE',
        'LIMIT',
        0,
        RECORDS_PER_STEP,
        'WITHSCORES',
      ),
    );
    if (rows.length === 0) {
      await runScript(this.connection, FINISH_RECOUNT, { tenant: keys.record }, { walk: position.walk });
      return undefined;
    }
    // Tasks that were opened in one millisecond have one score, and may be more than a page.
    const last = rows.at(-1) ?? '';
    const ties = await this.connection.command((client) => client.zrange(keys.tasks, last, last, 'BYSCORE'));
    const members = [...new Set([...rows.filter((_, at) => at % 2 === 0), ...ties])];
    for (let at = 0; at < members.length; ) {
      const page = members.slice(at, at + RECORDS_PER_STEP);
      const looked = await this.looked(
        runScript(
          this.connection,
          RECOUNT_TASKS,
          { tenant: keys.record, tasks: keys.tasks, retained: keys.retained, due: this.keys.due },
          { name: keys.name, walk: position.walk },
          { keys: page.map((member) => keys.task(parseIndexMember(member).taskId)), args: page },
        ),
      );
      if (looked === undefined) return undefined;
      at += looked;
    }
    return { ...position, cursor: last };
  }

  private async looked(run: Promise<unknown[]>): Promise<number | undefined> {
    const [code, count] = await run;
    return code === 'recounted' ? Number(count) : undefined;
  }

  private async read(): Promise<Position> {
    const stored = await this.connection.command((client) => client.hgetall(this.keys.recount));
    const { next = '0', after = '', tenant = '', walk = '', until = '0', part = '', cursor = '' } = stored;
    return {
      next: Number(next),
      after,
      tenant,
      walk,
      until: Number(until),
      part: part === 'tasks' ? 'tasks' : 'projects',
      cursor,
    };
  }

  private async write(position: Position): Promise<void> {
    await this.connection.command((client) => client.hset(this.keys.recount, { ...position }));
  }

  private async now(): Promise<number> {
    const [seconds, micros] = await this.connection.command((client) => client.time());
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }
}
