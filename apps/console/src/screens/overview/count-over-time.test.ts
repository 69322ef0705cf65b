import type { InteractionReply, TaskReply } from '@baton/gateway/reply-types';
import { expect, test } from 'vitest';
import { countOverTime, outcomesOf } from './count-over-time.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const ago = (minutes: number) => NOW - minutes * 60_000;
const iso = (minutes: number) => new Date(ago(minutes)).toISOString();
const indexes = (counts: readonly number[] = []) => counts.flatMap((count, at) => (count > 0 ? [at] : []));

test('what has ended counts in the interval in which it did, and the intervals end now', () => {
  const counted = countOverTime(
    [
      { outcome: 'answered', at: ago(15) },
      { outcome: 'answered', at: ago(0) },
      { outcome: 'failed', at: ago(30) },
    ],
    NOW,
  );
  expect(counted?.totals).toEqual({ answered: 2, expired: 0, failed: 1 });
  expect(counted?.from).toBe(ago(30));
  expect(indexes(counted?.counts.answered)).toEqual([15, 29]);
  expect(indexes(counted?.counts.failed)).toEqual([0]);
});

test('what ended just now is counted within the last ten minutes', () => {
  const counted = countOverTime([{ outcome: 'expired', at: ago(0) }], NOW);
  expect(counted?.from).toBe(ago(10));
  expect(indexes(counted?.counts.expired)).toEqual([29]);
});

test('interactions end by an answer or their deadline, and tasks by a failure; what waits or was cancelled is neither', () => {
  const interactions = [
    { status: 'answered', endedAt: iso(1) },
    { status: 'expired', endedAt: iso(2) },
    { status: 'cancelled', endedAt: iso(3) },
    { status: 'pending' },
  ] as InteractionReply[];
  const tasks = [
    { status: 'failed', lastUpdatedAt: iso(4) },
    { status: 'completed', lastUpdatedAt: iso(5) },
  ] as TaskReply[];
  expect(outcomesOf(interactions, tasks)).toEqual([
    { outcome: 'answered', at: ago(1) },
    { outcome: 'expired', at: ago(2) },
    { outcome: 'failed', at: ago(4) },
  ]);
  expect(countOverTime(outcomesOf([interactions[3]!], []), NOW)).toBeUndefined();
});
