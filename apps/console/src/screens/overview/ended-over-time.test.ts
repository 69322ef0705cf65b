import type { TaskReply } from '@baton/gateway/reply-types';
import { expect, test } from 'vitest';
import { countEndedOverTime } from './ended-over-time.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const task = (status: string, minutesAgo: number) =>
  ({ status, lastUpdatedAt: new Date(NOW - minutesAgo * 60_000).toISOString() }) as TaskReply;
const indexes = (counts: readonly number[] = []) => counts.flatMap((count, at) => (count > 0 ? [at] : []));

test('each task that has ended counts in the interval in which it did, and the intervals end now', () => {
  const tasks = [task('completed', 15), task('working', 1), task('completed', 0), task('failed', 30)];
  const counted = countEndedOverTime(tasks, NOW);
  expect(counted?.totals).toEqual({ completed: 2, failed: 1, cancelled: 0 });
  expect(counted?.from).toBe(NOW - 30 * 60_000);
  expect(indexes(counted?.counts.completed)).toEqual([15, 29]);
  expect(indexes(counted?.counts.failed)).toEqual([0]);
});

test('what ended just now is counted within the last ten minutes', () => {
  const counted = countEndedOverTime([task('cancelled', 0)], NOW);
  expect(counted?.from).toBe(NOW - 600_000);
  expect(indexes(counted?.counts.cancelled)).toEqual([29]);
});

test('tasks of which none has ended give nothing to draw', () => {
  expect(countEndedOverTime([task('working', 5), task('input_required', 1)], NOW)).toBeUndefined();
});
