import type { TaskReply } from '@baton/gateway/reply-types';

/** What a chart shows of each; drawn in this order from the bottom. */
export const END_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type EndStatus = (typeof END_STATUSES)[number];

export interface EndedOverTime {
  /** When the first interval begins, in milliseconds since the epoch. */
  readonly from: number;
  /** When each interval begins, in seconds since the epoch. */
  readonly times: readonly number[];
  readonly counts: Readonly<Record<EndStatus, readonly number[]>>;
  readonly totals: Readonly<Record<EndStatus, number>>;
}

const INTERVALS = 30;
/** The intervals span so much time at least. */
const LEAST_SPAN_MS = 600_000;

/** Counts those of some tasks that have ended by when they did, in equal intervals up to `now` (milliseconds since the epoch). Undefined of none. */
export function countEndedOverTime(tasks: readonly TaskReply[], now: number): EndedOverTime | undefined {
  const ended = tasks.flatMap(({ status, lastUpdatedAt }) => {
    const end = END_STATUSES.find((one) => one === status);
    return end === undefined ? [] : [{ end, at: Date.parse(lastUpdatedAt) }];
  });
  if (ended.length === 0) return undefined;
  const from = Math.min(now - LEAST_SPAN_MS, ...ended.map(({ at }) => at));
  const interval = (now - from) / INTERVALS;
  const none = () => Array.from({ length: INTERVALS }, () => 0);
  const counts = { completed: none(), failed: none(), cancelled: none() };
  const totals = { completed: 0, failed: 0, cancelled: 0 };
  for (const { end, at } of ended) {
    const index = Math.min(Math.floor((at - from) / interval), INTERVALS - 1);
    counts[end][index] = (counts[end][index] ?? 0) + 1;
    totals[end]++;
  }
  return { from, times: none().map((_, at) => (from + at * interval) / 1_000), counts, totals };
}
