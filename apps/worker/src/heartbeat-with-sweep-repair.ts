import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEARTBEAT_INTERVAL } from '@baton/store';
import type { JobWorkers, WorkerShard } from '@baton/store/shards';
import type { Logger } from 'pino';

/** A shard that was not swept for so long has lost its job scheduler (an emptied queue, a wrong clock). In milliseconds. */
const SWEEP_OVERDUE_MS = 3_000;

export interface Heartbeat {
  /** When the last round began, by `performance.now()`. */
  readonly lastTickAt: () => number;
  stop(): Promise<void>;
}

/**
 * Announces in every shard that this worker lives and which programs it has, and restores a shard's job scheduler when its
 * sweeps have stopped. Resolves after the first round.
 */
export async function startHeartbeatWithSweepRepair(
  name: string,
  programs: readonly string[],
  shards: readonly WorkerShard[],
  jobs: JobWorkers,
  log: Logger,
): Promise<Heartbeat> {
  // Two processes may share one replica name.
  const worker = `${name}.${randomBytes(4).toString('hex')}`;
  let lastTickAt = performance.now();
  const beat = async (shard: WorkerShard) => {
    try {
      const ms = await shard.workers.heartbeat(worker, programs);
      if (ms < 0 || ms > SWEEP_OVERDUE_MS) await jobs.scheduleSweeps(shard);
    } catch (err) {
      log.error({ err, shard: shard.index }, 'heartbeat failed');
    }
  };
  const round = async () => {
    lastTickAt = performance.now();
    await Promise.all(shards.map(beat));
  };
  await round();
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = (async () => {
    for (;;) {
      await sleep(HEARTBEAT_INTERVAL, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await round();
    }
  })();
  return {
    lastTickAt: () => lastTickAt,
    async stop() {
      stopping.abort();
      await loop;
      await Promise.allSettled(shards.map((shard) => shard.workers.deregister(worker, programs)));
    },
  };
}
