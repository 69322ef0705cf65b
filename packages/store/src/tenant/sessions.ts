import type { Subscriber } from '../redis/pub-sub.ts';
import { SESSION_TTL } from '../records/durations.ts';
import { END_SESSION, SET_LOG_LEVEL } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { TenantPart } from './tenant-context.ts';

/** So many sessions of a tenant are remembered as ended, and so many with a log level: the latest ones, which bounds the memory. */
const MAX_SESSIONS = 10_000;

/** What a tenant's MCP sessions have that their sealed ids cannot hold: that they were deleted, and the level of their log messages. */
export class Sessions extends TenantPart {
  /** Ends a session, and publishes that to the replicas, which refuse it from then on. */
  async end(id: string): Promise<void> {
    const { keys } = this.context;
    const args = { id, limit: MAX_SESSIONS, life: SESSION_TTL, channel: keys.shard.sessionsChannel };
    await runScript(this.context, END_SESSION, { session: keys.session(id) }, args);
  }

  async hasEnded(id: string): Promise<boolean> {
    const { connection, keys } = this.context;
    return (await connection.command((client) => client.zscore(keys.ended, id))) !== null;
  }

  /** Keeps the level at which a session's calls send log messages, from 0 to 7, and publishes it to the replicas. */
  async setLogLevel(id: string, level: number): Promise<void> {
    const { sessionsChannel: channel } = this.context.keys.shard;
    const args = { id, level, limit: MAX_SESSIONS, life: SESSION_TTL, channel };
    await runScript(this.context, SET_LOG_LEVEL, {}, args);
  }

  /** A session's level; undefined where it has none. */
  async logLevel(id: string): Promise<number | undefined> {
    const { connection, keys } = this.context;
    const score = await connection.command((client) => client.zscore(keys.logLevels, id));
    return score === null ? undefined : Number(score) % 10;
  }

  /**
   * Tells every replica, this one too, that a session's client has cancelled the request with this JSON-RPC id: the one that holds it. Nothing is stored.
   * Errors: `unavailable`.
   */
  async cancelRequest(sessionId: string, requestId: string | number): Promise<void> {
    const { connection, keys } = this.context;
    const message = `${sessionId}/${JSON.stringify(requestId)}`;
    await connection.command((client) => client.publish(keys.shard.sessionsChannel, message));
  }

  /**
   * Once this resolves, `subscriber` receives each change of a session in this tenant's shard: the id of one that has ended, an id and its log level with
   * a blank between them, or an id and the JSON of a request's id with a slash. Errors: `unavailable`.
   */
  async onChange(subscriber: Subscriber): Promise<void> {
    await this.context.connection.pubSub.subscribe(this.context.keys.shard.sessionsChannel, subscriber);
  }
}
