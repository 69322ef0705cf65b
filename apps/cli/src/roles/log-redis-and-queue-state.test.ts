import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError } from '@baton/protocol';
import { expect, test, vi } from 'vitest';
import { logRedisAndQueueState } from './log-redis-and-queue-state.ts';

/** Redis as it is now, asked every millisecond, with a reminder after `remindMs`. */
function watch(remindMs: number) {
  const state = {
    down: false,
    reason: undefined as string | undefined,
    usedShare: 0.5,
    refuses: undefined as string | undefined,
  };
  const lines: string[] = [];
  const log = {
    error: (facts: object, message: string) =>
      lines.push(`${message} ${(facts as { trouble: string }).trouble}`),
    warn: (_facts: object, message: string) => lines.push(message),
    info: (message: string) => lines.push(message),
  };
  const redis = {
    ping: async () => {
      if (state.down) throw new BatonError('unavailable', 'gone');
    },
    pausedQueues: async () => [],
    get redisMemory() {
      return { usable: true, usedShare: state.usedShare, refuses: state.refuses };
    },
  };
  const options = { everyMs: 1, remindMs, unavailableReason: () => state.reason };
  return { state, lines, ...logRedisAndQueueState(redis, log, options) };
}

test('an outage is one line however often it is looked at, then one when it is over', async () => {
  const { state, lines, ...watching } = watch(60_000);
  state.down = true;
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  await sleep(50);
  expect(lines).toEqual(['redis is not usable redis does not answer']);
  state.down = false;
  await vi.waitFor(() => expect(lines.at(-1)).toBe('redis is usable again'));
  expect(lines).toHaveLength(2);
  watching.stop();
});

test('an outage that lasts is told again when the time is over, and so is a Redis that answers and takes no writes', async () => {
  const { state, lines, ...watching } = watch(20);
  state.reason = 'its memory is full';
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(2));
  expect(new Set(lines)).toEqual(new Set(['redis is not usable its memory is full']));
  watching.stop();
});

test('a Redis that is nearly full is told with what is refused for it', async () => {
  const { state, lines, ...watching } = watch(60_000);
  Object.assign(state, { usedShare: 0.934, refuses: 'new calls' });
  await vi.waitFor(() =>
    expect(lines).toEqual(['redis is not usable redis uses 93 % of its maxmemory: new calls are refused']),
  );
  state.refuses = undefined;
  await vi.waitFor(() => expect(lines.at(-1)).toBe('redis is usable again'));
  watching.stop();
});
