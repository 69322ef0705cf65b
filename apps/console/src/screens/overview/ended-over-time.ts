import type { TaskReply } from '@baton/gateway/reply-types';

/** What a chart shows of each; drawn in this order from the bottom. */
export const END_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type EndStatus = (typeof END_STATUSES)[number];

/** The newest tasks with one end, and whether there are older ones. */
export interface EndedTasks {
  readonly tasks: readonly TaskReply[];
  readonly hasMore: boolean;
}

export interface EndedOverTime {
  /** Tasks that were started before it are left out; milliseconds since the epoch. */
  readonly from: number;
  /** When each interval begins, in seconds since the epoch. */
  readonly times: readonly number[];
  readonly counts: Readonly<Record<EndStatus, readonly number[]>>;
  readonly totals: Readonly<Record<EndStatus, number>>;
}

const INTERVALS = 30;
/** Less time than that is no course. */
const LEAST_SPAN_MS = 600_000;

/**
 * Counts tasks by when they ended, in equal intervals up to `now` (milliseconds since the epoch), of those that were started since all lists are
 * complete. Undefined of none.
 */
export function countEndedOverTime(
  ended: Readonly<Record<EndStatus, EndedTasks>>,
  now: number,
): EndedOverTime | undefined {
  const lists = END_STATUSES.map((status) => ended[status]);
  const startOf = ({ createdAt }: TaskReply) => Date.parse(createdAt);
  const complete = Math.max(
    ...lists.filter(({ hasMore }) => hasMore).map(({ tasks }) => Math.min(...tasks.map(startOf))),
  );
  const shown = lists.map(({ tasks }) => tasks.filter((task) => startOf(task) >= complete));
  const starts = shown.flat().map(startOf);
  if (starts.length === 0) return undefined;
  const from = Math.min(...starts, now - LEAST_SPAN_MS);
  const interval = (now - from) / INTERVALS;
  const countOf = (tasks: readonly TaskReply[]) => {
    const counts = Array.from({ length: INTERVALS }, () => 0);
    for (const { lastUpdatedAt } of tasks) {
      const at = Math.floor((Date.parse(lastUpdatedAt) - from) / interval);
      const inside = Math.min(Math.max(at, 0), INTERVALS - 1);
      counts[inside] = (counts[inside] ?? 0) + 1;
    }
    return counts;
  };
  const byStatus = <T>(of: (tasks: readonly TaskReply[]) => T) =>
    Object.fromEntries(END_STATUSES.map((status, at) => [status, of(shown[at] ?? [])])) as Record<
      EndStatus,
      T
    >;
  return {
    from,
    times: Array.from({ length: INTERVALS }, (_, at) => (from + at * interval) / 1_000),
    counts: byStatus(countOf),
    totals: byStatus((tasks) => tasks.length),
  };
}
