import { z } from 'zod';
import { countByStatus, type Status } from '../project/index.ts';

const counts = {
  total: z.int(),
  completed: z.int(),
  inProgress: z.int(),
  pending: z.int(),
  review: z.int(),
  blocked: z.int(),
  deferred: z.int(),
  cancelled: z.int(),
  completionPercentage: z.number(),
};

/** How far a tag is, under claude-task-master's names. */
export const progressSchema = z.object({ ...counts, subtasks: z.object(counts) });

/** Counts per status; the percentage is of all, the cancelled included, to two decimals. */
export function countProgress(items: readonly { readonly status: Status }[]) {
  const byStatus = countByStatus(items);
  const of = (status: Status) => byStatus.get(status) ?? 0;
  return {
    total: items.length,
    completed: of('done'),
    inProgress: of('in-progress'),
    pending: of('pending'),
    review: of('review'),
    blocked: of('blocked'),
    deferred: of('deferred'),
    cancelled: of('cancelled'),
    completionPercentage: items.length === 0 ? 0 : Math.round((of('done') / items.length) * 10_000) / 100,
  };
}
