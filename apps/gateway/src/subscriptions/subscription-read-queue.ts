import { BatonError } from '@baton/protocol';
import type { NotificationStream } from './notification-stream.ts';

/**
 * `refresh`: the read extends the life of the session's subscriptions in Redis. `resync`: changes were lost, so that the
 * client is notified of all that it is subscribed to as well.
 */
export type ReadReason = 'refresh' | 'resync';

/** The streams that are to read their sessions' subscriptions from Redis, until they could. */
export class SubscriptionReadQueue {
  private readonly scheduled = new Map<NotificationStream, ReadReason>();
  private readonly isCurrent: (stream: NotificationStream) => boolean;

  /** `isCurrent` is false for a stream that was removed: it is not read again. */
  constructor(isCurrent: (stream: NotificationStream) => boolean) {
    this.isCurrent = isCurrent;
  }

  schedule(streams: Iterable<NotificationStream>, reason: ReadReason): void {
    for (const stream of streams)
      if (this.scheduled.get(stream) !== 'resync') this.scheduled.set(stream, reason);
  }

  cancel(stream: NotificationStream): void {
    this.scheduled.delete(stream);
  }

  /** Reads for each scheduled stream. What Redis cannot do for one it cannot for the next: they stay scheduled. Never rejects. */
  async run(): Promise<void> {
    for (const [stream, reason] of this.scheduled) {
      // Before the read: what is lost during it schedules the stream again.
      this.scheduled.delete(stream);
      try {
        await stream.readSubscriptions();
        if (reason === 'resync') stream.notifyAll();
      } catch (error) {
        if (error instanceof BatonError && error.code === 'session_not_found') {
          stream.close();
          continue;
        }
        if (this.isCurrent(stream)) this.schedule([stream], reason);
        return;
      }
    }
  }
}
