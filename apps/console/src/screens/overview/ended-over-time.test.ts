import type { TaskReply } from '@baton/gateway/reply-types';
import { expect, test } from 'vitest';
import { countEndedOverTime } from './ended-over-time.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const task = (started: number, ended: number) =>
  ({ createdAt: minutesAgo(started), lastUpdatedAt: minutesAgo(ended) }) as TaskReply;
const none = { tasks: [], hasMore: false };

test('each task counts in the interval in which it ended, and the intervals end now', () => {
  const counted = countEndedOverTime(
    {
      completed: { tasks: [task(30, 15), task(20, 0)], hasMore: false },
      failed: { tasks: [task(29, 29)], hasMore: false },
      cancelled: none,
    },
    NOW,
  );
  expect(counted?.totals).toEqual({ completed: 2, failed: 1, cancelled: 0 });
  expect(counted?.from).toBe(NOW - 30 * 60_000);
  const indexes = (counts: readonly number[] = []) => counts.flatMap((count, at) => (count > 0 ? [at] : []));
  expect(indexes(counted?.counts.completed)).toEqual([15, 29]);
  expect(indexes(counted?.counts.failed)).toEqual([1]);
});

test('of a list that has older ones, the others are shown from where it is complete', () => {
  const counted = countEndedOverTime(
    {
      completed: { tasks: [task(10, 5)], hasMore: true },
      failed: { tasks: [task(600, 500), task(9, 1)], hasMore: false },
      cancelled: none,
    },
    NOW,
  );
  expect(counted?.totals).toEqual({ completed: 1, failed: 1, cancelled: 0 });
});

test('nothing that has ended is no course', () => {
  expect(countEndedOverTime({ completed: none, failed: none, cancelled: none }, NOW)).toBeUndefined();
});
