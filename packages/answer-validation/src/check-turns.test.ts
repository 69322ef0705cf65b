import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CheckTurns, type Turn } from './check-turns.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Turns whose checks end when the test says so; `begun` lists their tenants in the order in which they began. */
function startTurns() {
  const turns = new CheckTurns(1_500);
  const begun: string[] = [];
  const refused: string[] = [];
  const running = new Map<string, Turn>();
  const enter = (tenant: string) =>
    turns.enter(tenant).then(
      (turn) => {
        begun.push(tenant);
        running.set(tenant, turn);
        turn.began();
      },
      (error: { code: string; details: { retryAfterMs: number } }) => {
        refused.push(`${tenant} ${error.code}`);
        return error.details.retryAfterMs;
      },
    );
  const end = async (tenant: string, ms: number, how: 'done' | 'killed' | 'preempted' = 'done') => {
    const turn = running.get(tenant);
    running.delete(tenant);
    turn?.end(how, ms);
    await settled();
  };
  return { enter, end, begun, refused, running };
}
const settled = () => vi.advanceTimersByTimeAsync(0);
const many = (count: number, enter: (tenant: string) => unknown, tenant: string) => {
  for (let n = 0; n < count; n++) void enter(tenant);
};

describe('a quiet tenant', () => {
  test('begins at once while another has a hundred checks, one of which runs', async () => {
    const { enter, begun } = startTurns();
    many(100, enter, 'loud');
    void enter('quiet');
    await settled();
    expect(begun).toEqual(['loud', 'quiet']);
  });

  test('is the very next when eight others have used time and wait with fifty checks each', async () => {
    const { enter, end, begun, running } = startTurns();
    const loud = Array.from({ length: 8 }, (_, n) => `loud${n}`);
    for (const tenant of loud) many(50, enter, tenant);
    await settled();
    for (let n = 0; n < 24; n++) await end([...running.keys()][0] ?? '', 10);
    expect(begun.length).toBe(27);
    expect(new Set(begun).size, 'they take turns').toBe(8);
    void enter('quiet');
    await end([...running.keys()][0] ?? '', 10);
    expect(begun.at(-1)).toBe('quiet');
  });

  test('takes the thread of a long check, of the tenant that has used the most, when all are in use by them', async () => {
    const { enter, end, begun, running } = startTurns();
    void enter('b');
    await settled();
    await end('b', 90);
    for (const tenant of ['a', 'b', 'c']) void enter(tenant);
    await settled();
    void enter('quiet');
    await vi.advanceTimersByTimeAsync(40);
    expect(
      [...running.values()].some(({ stop }) => stop.signal.aborted),
      'none is long yet',
    ).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    const stopped = [...running].filter(([, { stop }]) => stop.signal.aborted).map(([tenant]) => tenant);
    expect(stopped).toEqual(['b']);
    await end('b', 60, 'preempted');
    expect(begun.at(-1)).toBe('quiet');
  });

  test('never takes the thread of the only long check', async () => {
    const { enter, end, begun, running } = startTurns();
    void enter('long');
    await settled();
    await vi.advanceTimersByTimeAsync(500);
    for (const tenant of ['a', 'b', 'quiet']) void enter(tenant);
    await settled();
    await end('a', 5);
    expect(begun).toEqual(['long', 'a', 'b', 'quiet']);
    expect(running.get('long')?.stop.signal.aborted).toBe(false);
  });
});

describe('a tenant that uses much', () => {
  test('has one thread with others like it, so that two are left', async () => {
    const { enter, end, begun } = startTurns();
    for (const tenant of ['x', 'y', 'z']) {
      void enter(tenant);
      await settled();
      await end(tenant, 400);
    }
    begun.length = 0;
    for (const tenant of ['x', 'y']) void enter(tenant);
    for (const tenant of ['quiet1', 'quiet2']) void enter(tenant);
    await settled();
    expect(begun).toEqual(['x', 'quiet1', 'quiet2']);
    await end('x', 100);
    expect(begun.at(-1)).toBe('y');
  });

  test('waits after a check that was killed, and what it has waiting is refused at once; no other is', async () => {
    const { enter, end, begun, refused } = startTurns();
    many(3, enter, 'hostile');
    void enter('other');
    await settled();
    await end('hostile', 1_000, 'killed');
    await end('other', 1_000);
    expect(refused).toEqual(['hostile limit_checks', 'hostile limit_checks']);
    const retryAfterMs = await enter('hostile');
    expect(retryAfterMs).toBe(10_000);
    await vi.advanceTimersByTimeAsync(10_100);
    void enter('hostile');
    await settled();
    expect(begun).toEqual(['hostile', 'other', 'hostile']);
  });

  test('waits as long as it takes to pay, when that is not long', async () => {
    const { enter, end, begun, refused } = startTurns();
    void enter('busy');
    await settled();
    await end('busy', 1_120);
    void enter('busy');
    await vi.advanceTimersByTimeAsync(550);
    expect(begun).toEqual(['busy']);
    await vi.advanceTimersByTimeAsync(100);
    expect([begun, refused]).toEqual([['busy', 'busy'], []]);
  });

  test('is refused beyond a hundred checks that wait, and when its turn does not come in 9 s', async () => {
    const { enter, refused } = startTurns();
    many(102, enter, 'loud');
    await settled();
    expect(refused.length).toBe(1);
    await vi.advanceTimersByTimeAsync(8_900);
    expect(refused.length).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(refused.length).toBe(101);
  });

  test('is refused when its turn does not come in 1.5 s, where it has used much', async () => {
    const { enter, end, refused } = startTurns();
    void enter('heavy');
    await settled();
    await end('heavy', 900);
    many(2, enter, 'heavy');
    await vi.advanceTimersByTimeAsync(1_600);
    expect(refused).toEqual(['heavy limit_checks']);
  });
});
