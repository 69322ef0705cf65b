import { type PendingPage, InboxSubscription } from '@baton/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AdmittedCall } from '../call/call.ts';
import { waitForPendingInteractions } from './wait-for-pending-interactions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call over a list that `read` answers for; `wakes` is told of each subscription. */
function callOver(read: (nth: number) => PendingPage, wakes: (subscription: InboxSubscription) => void) {
  const reads = { count: 0 };
  const subscribe = () => {
    const subscription = new InboxSubscription(() => {});
    wakes(subscription);
    return subscription;
  };
  const signal = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };
  const call = {
    identity: { principal: 'ann', scopes: new Set() },
    tenant: { id: expect.getState().currentTestName, keys: { pendingTopic: 't:' } },
    services: { store: { inbox: { channel: 'c', subscribe } } },
    signal: () => signal,
  } as unknown as AdmittedCall;
  return { call, reads, next: async () => read(++reads.count) };
}

test('a wait over a list without an end reads so many pages a second, and no more', async () => {
  const { call, reads, next } = callOver(
    () => ({ items: [], nextCursor: 'more' }),
    () => {},
  );
  const waiting = waitForPendingInteractions(call, { waitMs: 1_500 }, next);
  await vi.advanceTimersByTimeAsync(999);
  expect(reads.count).toBe(40);
  await vi.advanceTimersByTimeAsync(501);
  expect(await waiting).toEqual({ items: [], nextCursor: 'more' });
  expect(reads.count).toBe(80);
});

test('all waits of a tenant read so many pages a second, but for the first of each', async () => {
  const endless = () =>
    callOver(
      () => ({ items: [], nextCursor: 'more' }),
      () => {},
    );
  const waits = Array.from({ length: 10 }, endless);
  const replies = waits.map(({ call, next }) => waitForPendingInteractions(call, { waitMs: 900 }, next));
  await vi.advanceTimersByTimeAsync(1);
  const counted = () => waits.reduce((sum, { reads }) => sum + reads.count, 0);
  expect(counted()).toBe(210);
  await vi.advanceTimersByTimeAsync(899);
  await Promise.all(replies);
  expect(counted()).toBeLessThan(400);
});

test('a wait that is notified without a pause reads no more for it', async () => {
  const update = { seen: 0, status: 'input_required', end: undefined } as const;
  let timer: NodeJS.Timeout | undefined;
  const { call, reads, next } = callOver(
    () => ({ items: [] }),
    (subscription) => (timer = setInterval(() => subscription.receive(update), 1)),
  );
  const waiting = waitForPendingInteractions(call, { waitMs: 1_500 }, next);
  await vi.advanceTimersByTimeAsync(1_500);
  await waiting;
  clearInterval(timer);
  expect(reads.count).toBe(80);
});

test('what becomes pending during a pause is found behind it', async () => {
  const item = { interactionId: 'i' } as PendingPage['items'][number];
  const { call, reads, next } = callOver(
    (nth) => (nth <= 40 ? { items: [], nextCursor: 'more' } : nth === 41 ? { items: [] } : { items: [item] }),
    (subscription) =>
      setTimeout(() => subscription.receive({ seen: 0, status: 'input_required', end: undefined }), 100),
  );
  const waiting = waitForPendingInteractions(call, { waitMs: 20_000 }, next);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await waiting).items).toEqual([item]);
  expect(reads.count).toBe(42);
});
