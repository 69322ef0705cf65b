import { randomBytes } from 'node:crypto';
import { HEARTBEAT_INTERVAL } from '@baton/store';
import type { JobRunner, Shard } from '@baton/store/shards';
import type { Logger } from 'pino';

/** A shard whose last sweep began so long ago has none scheduled: its queue was emptied, or a clock was off. */
const LATE_MS = 3_000;

export interface Heartbeat {
  /** When its loop last turned, by `performance.now()`. */
  readonly lastTickAt: () => number;
  stop(): Promise<void>;
}

/**
 * Says in every shard that this worker lives and which programs it has, and has BullMQ sweep a shard that is not swept:
 * a job scheduler that was removed cannot put itself back. Resolves after its first round.
 */
export async function startHeartbeat(
  name: string,
  programs: readonly string[],
  shards: readonly Shard[],
  jobs: JobRunner,
  log: Logger,
): Promise<Heartbeat> {
  // Two processes may have been given one name.
  const worker = `${name}.${randomBytes(4).toString('hex')}`;
  let lastTickAt = performance.now();
  const beat = async (shard: Shard) => {
    try {
      const ms = await shard.workers.announce(worker, programs);
      if (ms < 0 || ms > LATE_MS) await jobs.scheduleSweeps(shard);
    } catch (err) {
      log.error({ err, shard: shard.index }, 'heartbeat failed');
    }
  };
  const round = async () => {
    lastTickAt = performance.now();
    await Promise.all(shards.map(beat));
  };
  await round();
  let stopped = false;
  let wake = () => {};
  const loop = (async () => {
    for (;;) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, HEARTBEAT_INTERVAL);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (stopped) return;
      await round();
    }
  })();
  return {
    lastTickAt: () => lastTickAt,
    async stop() {
      stopped = true;
      wake();
      await loop;
      await Promise.allSettled(shards.map((shard) => shard.workers.withdraw(worker, programs)));
    },
  };
}
