import { expect, test, vi } from 'vitest';
import { TurnQueue } from './turn-queue.ts';

test('so many of a key run at once, the others in their order as turns become free, and keys do not wait for each other', () => {
  const queue = new TurnQueue(2, 60_000);
  const begun: string[] = [];
  const enter = (name: string, key = 'one') =>
    queue.enter(key, (hasTurn) => begun.push(`${name} ${hasTurn}`));
  const [first, second] = [enter('first'), enter('second')];
  const third = enter('third');
  const fourth = enter('fourth');
  const fifth = enter('fifth');
  enter('other', 'two')();
  expect(begun).toEqual(['first true', 'second true', 'other true']);
  second();
  second();
  expect(begun.slice(3)).toEqual(['third true']);
  fourth();
  first();
  expect(begun.slice(4)).toEqual(['fifth true']);
  third();
  fifth();
  enter('sixth')();
  expect(begun.slice(5)).toEqual(['sixth true']);
});

test('whose turn does not come in time is told so, and takes no turn afterwards', () => {
  vi.useFakeTimers();
  try {
    const queue = new TurnQueue(1, 1_000);
    const begun: string[] = [];
    const enter = (name: string) => queue.enter('key', (hasTurn) => begun.push(`${name} ${hasTurn}`));
    const first = enter('first');
    const late = enter('late');
    vi.advanceTimersByTime(1_000);
    expect(begun).toEqual(['first true', 'late false']);
    late();
    first();
    enter('next');
    expect(begun.at(-1)).toBe('next true');
  } finally {
    vi.useRealTimers();
  }
});
