import type { Operation } from '@baton/operations';
import { AnswerCheck, Programs, type SegmentEnd } from '@baton/runner';
import type { Store } from '@baton/store';
import { drainWorker, openShards } from '@baton/store/shards';
import type { Logger } from 'pino';
import { Drain } from './drain.ts';
import { Shift } from './shift.ts';
import { startSweeping } from './sweep.ts';

export interface WorkerConfiguration {
  /** How long a SIGTERM waits for running segments, in milliseconds; what is left is handed on by its lease. */
  readonly drainMs: number;
}

export interface RunningWorker {
  /** When its loop last turned, by `performance.now()`. */
  readonly turnedAt: () => number;
  /** Takes nothing more, lets running segments end, and closes. */
  stop(): Promise<void>;
}

/** Starts one worker. `added` operations are for tests and benchmarks; `ended` hears of every segment. */
export function startWorker(
  configuration: WorkerConfiguration,
  store: Store,
  log: Logger,
  added: ReadonlyMap<string, Operation> = new Map(),
  ended: (end: SegmentEnd | 'error') => void = () => {},
): RunningWorker {
  const check = new AnswerCheck();
  const drain = new Drain({ programs: new Programs(added), check, log, ended });
  const shifts = openShards(store).map((shard) => ({ shard, shift: new Shift(shard, drain) }));
  const wakers = shifts.map(({ shard, shift }) => drainWorker(store, shard.index, () => shift.run()));
  const sweeper = startSweeping(
    shifts.map(({ shard }) => shard),
    async (shard) => {
      if (shifts[shard.index]?.shift.ring() || (await shard.callWorker())) return;
      drain.unbidden(shard);
    },
    log,
  );
  return {
    turnedAt: sweeper.turnedAt,
    async stop() {
      // BullMQ's close has no time limit of its own, and a segment may wait for a Redis that is gone.
      const over = new Promise((resolve) => setTimeout(resolve, configuration.drainMs).unref());
      for (const { shift } of shifts) shift.stop();
      const closed = Promise.all([sweeper.stop(), drain.stop(), ...wakers.map((waker) => waker.close())]);
      // Tasks may be handed over until the shifts are left.
      await Promise.race([closed.then(() => drain.stop()), over]);
      await check.close();
    },
  };
}
