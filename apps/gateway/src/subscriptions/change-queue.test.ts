import { expect, test } from 'vitest';
import type { DataChange } from '../resources/resource-kind.ts';
import { ChangeQueue } from './change-queue.ts';
import { SubscriptionIndex } from './subscription-index.ts';

const change = (...fields: string[]): DataChange => ({
  kind: 'project',
  project: 'p',
  fields: new Set(fields),
  created: false,
  shaped: false,
});

/** A queue whose one subscriber is subscribed to so many tasks of a project, and to its rules. */
function open(tasks: number) {
  const index = new SubscriptionIndex();
  const notified: string[] = [];
  const identity = { principal: 'ann', scopes: new Set(['mcp'] as const) };
  const subscriber = { identity, notify: (what: string) => void notified.push(what) };
  for (let n = 1; n <= tasks; n++) index.subscribe(subscriber, `baton://projects/p/tasks/${n}`);
  index.subscribe(subscriber, 'baton://projects/p/rules');
  return { queue: new ChangeQueue(index), notified };
}

test('a change that concerns few is told at once', () => {
  const { queue, notified } = open(10);
  queue.add(change('task'));
  expect(notified).toHaveLength(10);
});

test('a change visits a thousand subscriptions in a turn of the event loop, and all of them in the end', async () => {
  const { queue, notified } = open(2_500);
  queue.add(change('task'));
  expect(notified).toHaveLength(1_000);
  await expect.poll(() => notified.length).toBe(2_500);
  expect(new Set(notified).size).toBe(2_500);
});

test('what changes while a change is told is told once more, with all that has changed meanwhile', async () => {
  const { queue, notified } = open(2_500);
  queue.add(change('task'));
  for (let n = 0; n < 50; n++) queue.add(change(n === 0 ? 'rules' : 'task'));
  await expect.poll(() => notified.length).toBe(5_001);
  await new Promise((resolve) => setImmediate(resolve));
  expect(notified).toHaveLength(5_001);
  expect(notified.at(-1)).toBe('baton://projects/p/rules');
});
