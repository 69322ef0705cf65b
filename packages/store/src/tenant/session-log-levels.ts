import { SESSION_TTL } from '../records/durations.ts';
import { SET_LOG_LEVEL } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { TenantPart } from './tenant-context.ts';

/** So many sessions of a tenant have a level, those that set theirs last, which bounds the memory. */
const MAX_LEVELS = 10_000;

/** The levels at which the calls of a tenant's MCP sessions send log messages, as numbers from 0 to 7. */
export class SessionLogLevels extends TenantPart {
  /** Keeps a session's level, and publishes it to the replicas. */
  async set(id: string, level: number): Promise<void> {
    const { keys } = this.context;
    await runScript(
      this.context,
      SET_LOG_LEVEL,
      {},
      { id, level, limit: MAX_LEVELS, life: SESSION_TTL, channel: keys.shard.sessionsChannel },
    );
  }

  /** A session's level; undefined where it has none. */
  async get(id: string): Promise<number | undefined> {
    const { connection, keys } = this.context;
    const score = await connection.command((client) => client.zscore(keys.logLevels, id));
    return score === null ? undefined : Number(score) % 10;
  }
}
