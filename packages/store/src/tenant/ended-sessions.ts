import type { Subscriber } from '../redis/pub-sub.ts';
import { SESSION_TTL } from '../records/durations.ts';
import { END_SESSION } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { TenantPart } from './tenant-context.ts';

/** So many ended sessions of a tenant are remembered, the latest ones, which bounds the memory. */
const MAX_ENDED_SESSIONS = 10_000;

/** A tenant's MCP sessions that were deleted: the one fact of a session's life that its sealed id cannot hold. */
export class EndedSessions extends TenantPart {
  /** Ends a session, and publishes that to the replicas, which refuse it from then on. */
  async endSession(id: string): Promise<void> {
    const { keys } = this.context;
    await runScript(
      this.context,
      END_SESSION,
      { session: keys.session(id) },
      {
        id,
        limit: MAX_ENDED_SESSIONS,
        life: SESSION_TTL,
        channel: keys.shard.sessionsChannel,
      },
    );
  }

  async has(id: string): Promise<boolean> {
    const { connection, keys } = this.context;
    return (await connection.command((client) => client.zscore(keys.ended, id))) !== null;
  }

  /**
   * Once this resolves, `subscriber` receives each change of a session in this tenant's shard: the id of one that has ended, or an id and its log level with
   * a blank between them. Errors: `unavailable`.
   */
  async onSessionChange(subscriber: Subscriber): Promise<void> {
    await this.context.connection.pubSub.subscribe(this.context.keys.shard.sessionsChannel, subscriber);
  }
}
