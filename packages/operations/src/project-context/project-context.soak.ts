import { expect, test } from 'vitest';
import { searchableTasks } from '../testing/searchable-tasks.ts';
import { findRelatedTasks } from './related-tasks.ts';

test('a search among 10,000 tasks takes the event loop for a moment only', () => {
  const { tasks, titleOf } = searchableTasks(10_000);
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now();
    findRelatedTasks(tasks, titleOf(42).repeat(100), new Set([5_000]), new Set([5_000]), 5);
    return performance.now() - started;
  });
  console.log(`a search among 10,000 tasks takes ${Math.min(...times).toFixed(1)} ms of the event loop`);
  expect(Math.min(...times)).toBeLessThan(50);
});
