import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import type { Effect } from './effect.ts';
import { applyAnsweredCommand } from './wait-for-room.ts';

/** Runs the change of a project; `refuse` says with what its attempt of that number fails. Returns its sleeps, and how it ended. */
function run(refuse: (attempt: number) => BatonError | undefined) {
  const program = applyAnsweredCommand<string>('shop', {});
  const sleeps: Extract<Effect, { kind: 'sleep' }>[] = [];
  try {
    for (let attempt = 1, step = program.next(); ; ) {
      if (step.done) return { sleeps, value: step.value };
      if (step.value.kind === 'sleep') {
        sleeps.push(step.value);
        step = program.next(null);
        continue;
      }
      const error = refuse(attempt++);
      step = error === undefined ? program.next('applied') : program.throw(error);
    }
  } catch (thrown) {
    return { sleeps, thrown };
  }
}

const noRoom = new BatonError('limit_storage', 'No room.', { limit: 'projects', most: 1, used: 1 });

describe('a change of a project that has no room', () => {
  test('is tried again after pauses that double, and is applied once there is room', () => {
    const { sleeps, value } = run((attempt) => (attempt <= 3 ? noRoom : undefined));
    expect(value).toBe('applied');
    expect(sleeps.map(({ ms }) => ms)).toEqual([2_000, 4_000, 8_000]);
    expect(new Set(sleeps.map(({ limit }) => limit))).toEqual(new Set(['projects']));
  });

  test('fails with the limit after an hour, and few attempts', () => {
    const { sleeps, thrown } = run(() => noRoom);
    expect(thrown).toBe(noRoom);
    const waited = sleeps.reduce((sum, { ms }) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(3_600_000);
    expect(waited).toBeLessThan(3_600_000 + 120_000);
    expect(sleeps.length).toBeLessThan(40);
  });

  test('fails at once for any other reason', () => {
    const conflict = new BatonError('task_not_found', 'Gone.');
    expect(run(() => conflict)).toEqual({ sleeps: [], thrown: conflict });
  });
});
