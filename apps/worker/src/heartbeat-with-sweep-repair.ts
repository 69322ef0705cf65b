import { randomBytes } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEARTBEAT_INTERVAL } from '@baton/store';
import type { JobWorkers, WorkerShard } from '@baton/store/shards';
import type { Logger } from 'pino';

/** A shard that was not swept for so long has lost its job scheduler (an emptied queue, a wrong clock). In milliseconds. */
const SWEEP_OVERDUE_MS = 3_000;

export interface Heartbeat {
  /** When the last round began, by `performance.now()`. */
  readonly lastTickAt: () => number;
  /** Why Redis took none of a shard in the last round; undefined when it took all. It is for whoever watches Redis to log. */
  readonly unavailableReason: () => string | undefined;
  stop(): Promise<void>;
}

/**
 * Announces in every shard that this worker lives and which programs it has, restores a shard's job scheduler when its
 * sweeps have stopped, and the record of the layout when Redis has lost it. Resolves after the first round.
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
  let unavailable: string | undefined;
  const beat = async (shard: WorkerShard): Promise<void> => {
    const ms = await shard.workers.heartbeat(worker, programs);
    if (ms < 0 || ms > SWEEP_OVERDUE_MS) await jobs.scheduleSweeps(shard);
  };
  /** The reason, where Redis cannot take it now. */
  const refusalOf = async (work: Promise<void>): Promise<string | undefined> => {
    try {
      await work;
    } catch (err) {
      if (err instanceof BatonError && err.code === 'unavailable') return err.message;
      log.error({ err }, 'heartbeat failed');
    }
    return undefined;
  };
  const round = async () => {
    lastTickAt = performance.now();
    const parts = [...shards.map(beat), jobs.restoreLayout()];
    unavailable = (await Promise.all(parts.map(refusalOf))).find((reason) => reason !== undefined);
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
    unavailableReason: () => unavailable,
    async stop() {
      stopping.abort();
      await loop;
      await Promise.allSettled(shards.map((shard) => shard.workers.deregister(worker, programs)));
    },
  };
}
