import type { InteractionReply, TaskReply } from '@baton/gateway/reply-types';

/** What a chart shows of each: how an interaction has ended, or a task. Drawn in this order from the bottom. */
export const OUTCOMES = ['answered', 'expired', 'failed'] as const;
export type ChartedOutcome = (typeof OUTCOMES)[number];

/** Something that has ended, by when: milliseconds since the epoch. */
export interface TimedOutcome {
  readonly outcome: ChartedOutcome;
  readonly at: number;
}

export interface OutcomesOverTime {
  /** When the first interval begins, in milliseconds since the epoch. */
  readonly from: number;
  /** When each interval begins, in seconds since the epoch. */
  readonly times: readonly number[];
  readonly counts: Readonly<Record<ChartedOutcome, readonly number[]>>;
  readonly totals: Readonly<Record<ChartedOutcome, number>>;
}

const INTERVALS = 30;
/** The intervals span so much time at least. */
const LEAST_SPAN_MS = 600_000;

/** Interactions that were answered or have expired, and tasks that have failed. */
export function outcomesOf(
  interactions: readonly InteractionReply[],
  tasks: readonly TaskReply[],
): readonly TimedOutcome[] {
  const failed = tasks.filter(({ status }) => status === 'failed');
  return [
    ...interactions.flatMap(({ status, endedAt }) =>
      (status === 'answered' || status === 'expired') && endedAt !== undefined
        ? [{ outcome: status, at: Date.parse(endedAt) }]
        : [],
    ),
    ...failed.map(({ lastUpdatedAt }) => ({ outcome: 'failed' as const, at: Date.parse(lastUpdatedAt) })),
  ];
}

/** Counts what has ended by when it did, in equal intervals up to `now` (milliseconds since the epoch). Undefined of nothing. */
export function countOverTime(ended: readonly TimedOutcome[], now: number): OutcomesOverTime | undefined {
  if (ended.length === 0) return undefined;
  const from = Math.min(now - LEAST_SPAN_MS, ...ended.map(({ at }) => at));
  const interval = (now - from) / INTERVALS;
  const none = () => Array.from({ length: INTERVALS }, () => 0);
  const counts = { answered: none(), expired: none(), failed: none() };
  const totals = { answered: 0, expired: 0, failed: 0 };
  for (const { outcome, at } of ended) {
    const index = Math.min(Math.floor((at - from) / interval), INTERVALS - 1);
    counts[outcome][index] = (counts[outcome][index] ?? 0) + 1;
    totals[outcome]++;
  }
  return { from, times: none().map((_, at) => (from + at * interval) / 1_000), counts, totals };
}
