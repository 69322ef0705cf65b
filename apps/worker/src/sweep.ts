import { SWEEP_INTERVAL } from '@baton/store';
import type { Shard } from '@baton/store/shards';
import type { Logger } from 'pino';

/**
 * Sweeps every shard in turn, again and again, on every worker: the script lets one sweep through per shard and
 * interval, so more workers make it more certain, not more work. `found` hears of shards where something stands ready.
 */
export function startSweeping(
  shards: readonly Shard[],
  found: (shard: Shard) => Promise<void>,
  log: Logger,
): { stop(): Promise<void> } {
  let stopped = false;
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
      await Promise.all(shards.map(sweepOne));
      if (!stopped) await pause();
    }
  })();
  return {
    async stop() {
      stopped = true;
      wake();
      await loop;
    },
  };
}
