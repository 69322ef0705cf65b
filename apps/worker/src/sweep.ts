import { SWEEP_INTERVAL } from '@baton/store';
import type { Shard } from '@baton/store/shards';
import type { Logger } from 'pino';

export interface Sweeping {
  /** When the last round began, by `performance.now()`. */
  readonly turnedAt: () => number;
  stop(): Promise<void>;
}

/**
 * Sweeps every shard in turn, again and again, on every worker: the script lets one sweep through per shard and
 * interval, so more workers make it more certain, not more work. `found` hears of shards where something stands ready.
 */
export function startSweeping(
  shards: readonly Shard[],
  found: (shard: Shard) => Promise<void>,
  log: Logger,
): Sweeping {
  let stopped = false;
  let turnedAt = performance.now();
  let wake = () => {};
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, SWEEP_INTERVAL);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const sweepOne = async (shard: Shard) => {
    try {
      if (await shard.sweep()) await found(shard);
    } catch (err) {
      log.error({ err, shard: shard.index }, 'sweep failed');
    }
  };
  const loop = (async () => {
    while (!stopped) {
      turnedAt = performance.now();
      await Promise.all(shards.map(sweepOne));
      if (!stopped) await pause();
    }
  })();
  return {
    turnedAt: () => turnedAt,
    async stop() {
      stopped = true;
      wake();
      await loop;
    },
  };
}
