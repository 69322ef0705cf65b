import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('what is within the burst waits for nothing, and a debt for as long as it takes to be paid back', () => {
  const buckets = new TokenBuckets(10, 30);
  expect([1, 2, 3, 4].map(() => buckets.take('a', 10))).toEqual([0, 0, 0, 1_000]);
  expect(buckets.left('a')).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(buckets.take('a', 10)).toBe(1_000);
  vi.advanceTimersByTime(3_600_000);
  expect(buckets.left('a'), 'never above the burst').toBe(30);
});

test('no debt makes anyone wait for more than 5 s', () => {
  const buckets = new TokenBuckets(1, 1);
  for (let n = 0; n < 1_000; n++) buckets.take('a', 1_000);
  expect(buckets.take('a', 1)).toBe(5_000);
  vi.advanceTimersByTime(6_000);
  expect(buckets.take('a', 1)).toBe(0);
});

test('a subject never takes from another, and those of long ago are forgotten', () => {
  const buckets = new TokenBuckets(1, 1);
  buckets.take('a', 5);
  expect(buckets.take('b', 1)).toBe(0);
  for (let n = 0; n < 20_000; n++) buckets.take(`other ${n}`, 1);
  expect(buckets.left('a'), 'no more than 10,000 are held').toBe(1);
});
