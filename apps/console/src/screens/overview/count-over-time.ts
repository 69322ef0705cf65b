import type { InteractionReply, TaskReply } from '@baton/gateway/reply-types';

/** What a chart shows of each: how an interaction has ended, or a task. Drawn in this order from the bottom. */
export const ENDS = ['answered', 'expired', 'failed'] as const;
export type End = (typeof ENDS)[number];

/** Something that has ended, by when: milliseconds since the epoch. */
export interface Ended {
  readonly end: End;
  readonly at: number;
}

export interface EndsOverTime {
  /** When the first interval begins, in milliseconds since the epoch. */
  readonly from: number;
  /** When each interval begins, in seconds since the epoch. */
  readonly times: readonly number[];
  readonly counts: Readonly<Record<End, readonly number[]>>;
  readonly totals: Readonly<Record<End, number>>;
}

const INTERVALS = 30;
/** The intervals span so much time at least. */
const LEAST_SPAN_MS = 600_000;

/** Interactions that were answered or have expired, and tasks that have failed. */
export function endsOf(
  interactions: readonly InteractionReply[],
  tasks: readonly TaskReply[],
): readonly Ended[] {
  const failed = tasks.filter(({ status }) => status === 'failed');
  return [
    ...interactions.flatMap(({ status, endedAt }) =>
      (status === 'answered' || status === 'expired') && endedAt !== undefined
        ? [{ end: status, at: Date.parse(endedAt) }]
        : [],
    ),
    ...failed.map(({ lastUpdatedAt }) => ({ end: 'failed' as const, at: Date.parse(lastUpdatedAt) })),
  ];
}

/** Counts what has ended by when it did, in equal intervals up to `now` (milliseconds since the epoch). Undefined of nothing. */
export function countOverTime(ended: readonly Ended[], now: number): EndsOverTime | undefined {
  if (ended.length === 0) return undefined;
  const from = Math.min(now - LEAST_SPAN_MS, ...ended.map(({ at }) => at));
  const interval = (now - from) / INTERVALS;
  const none = () => Array.from({ length: INTERVALS }, () => 0);
  const counts = { answered: none(), expired: none(), failed: none() };
  const totals = { answered: 0, expired: 0, failed: 0 };
  for (const { end, at } of ended) {
    const index = Math.min(Math.floor((at - from) / interval), INTERVALS - 1);
    counts[end][index] = (counts[end][index] ?? 0) + 1;
    totals[end]++;
  }
  return { from, times: none().map((_, at) => (from + at * interval) / 1_000), counts, totals };
}
