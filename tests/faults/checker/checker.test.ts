import { describe, expect, test } from 'vitest';
import { checkHistory } from './checker.ts';
import type { FinalState, FinalTask } from './final-state.ts';
import type { HistoryEntry, Reply, Request } from './history.ts';

/** Small histories: one without violations, and one for each way to violate an invariant. */
const DUE = 100_000;

const right = (mark: string): Request => ({ f: 'answer', interactionId: 'a1', mark, kind: 'right' });
const wrong: Request = { f: 'answer', interactionId: 'a1', mark: 'w', kind: 'wrong' };
const start: Request = { f: 'start', key: 'k' };
const started: Reply = {
  verdict: 'ok',
  task: {
    taskId: 'a',
    status: 'input_required',
    pending: [{ interactionId: 'a1', expiresAt: DUE }],
  },
};
const accepted: Reply = { verdict: 'accepted', task: { taskId: 'a', status: 'working', pending: [] } };
const ended = (end: string): Reply => ({
  verdict: 'ok',
  task: { taskId: 'a', status: 'completed', end, pending: [] },
});

/** Requests one after the other, each with its reply, or nothing where its outcome is unknown. */
function history(...exchanges: readonly (readonly [Request, Reply?])[]): HistoryEntry[] {
  return exchanges.flatMap(([request, reply], n): HistoryEntry[] => {
    const [id, at] = [n + 1, 1_000 + n * 10];
    return [
      { at, type: 'invoke', id, client: 'k', replica: 'gateway-0', request },
      reply === undefined
        ? { at: at + 5, type: 'unknown', id, why: 'cut' }
        : { at: at + 5, type: 'reply', id, reply },
    ];
  });
}

const answered = { interactionId: 'a1', attempt: 1, status: 'answered' };
const pending = { interactionId: 'a1', attempt: 1, status: 'pending' };
const done: FinalTask = {
  taskId: 'a',
  operation: 'bench_echo',
  status: 'completed',
  endedAt: 2_000,
  expiresAt: DUE,
  end: '{"value":"x"}',
  width: 1,
  interactions: [answered],
};
const open: FinalTask = { ...done, status: 'input_required', endedAt: 0, interactions: [pending] };
const failed = (errorCode: string): FinalTask => ({
  ...done,
  status: errorCode === 'task_cancelled' ? 'cancelled' : 'failed',
  errorCode,
  end: `{"code":"${errorCode}"}`,
});

function final(task: Partial<FinalTask> | undefined, more: Partial<FinalState> = {}): FinalState {
  const tasks = task === undefined ? [] : [{ ...done, ...task }];
  const openTasks = tasks.filter(
    ({ status }) => status !== 'completed' && !('errorCode' in (task ?? {})),
  ).length;
  return { readAt: 3_000, tasks, projects: {}, openTasks, ...more };
}

const found = (entries: readonly HistoryEntry[], state: FinalState) => [
  ...new Set(checkHistory(entries, state).map(({ invariant }) => invariant)),
];
const clean = history([start, started], [right('x'), accepted]);

describe('the checker accepts a history with', () => {
  test.each<[string, readonly HistoryEntry[], FinalState]>([
    [
      'an answer, its repeat and its result',
      history([start, started], [right('x'), accepted], [right('x'), { verdict: 'replayed' }]),
      final({}),
    ],
    [
      'an answer of unknown outcome that was accepted',
      history([start], [start, started], [right('x')], [right('x'), { verdict: 'replayed' }]),
      final({}),
    ],
    [
      'a rival that is refused',
      history(
        [start, started],
        [right('x'), accepted],
        [right('y'), { verdict: 'interaction_already_answered' }],
      ),
      final({}),
    ],
    [
      'a wrong answer and a second attempt',
      history(
        [start, started],
        [wrong, accepted],
        [{ f: 'answer', interactionId: 'a2', mark: 'x', kind: 'right' }, { verdict: 'accepted' }],
      ),
      final({ interactions: [answered, { interactionId: 'a2', attempt: 2, status: 'answered' }] }),
    ],
    ['a task that waits for its client', history([start, started]), final(open)],
    [
      'a task that ended 5 s after its deadline',
      history([start, started]),
      final({ ...failed('task_expired'), endedAt: DUE + 5_000 }),
    ],
    ['a start without any reply', history([start]), final(open)],
  ])('%s', (_what, entries, state) => {
    expect(checkHistory(entries, state)).toEqual([]);
  });
});

describe('I1, an accepted answer resumes its task exactly once, is violated by', () => {
  test.each<[string, readonly HistoryEntry[], FinalState]>([
    ['an end that is counted twice', clean, final({}, { openTasks: -1 })],
    ['an end that is not counted', clean, final({}, { openTasks: 1 })],
    [
      'two second attempts after one wrong answer',
      history([start, started], [wrong, accepted]),
      final({
        ...open,
        interactions: [
          answered,
          { ...pending, interactionId: 'a2', attempt: 2 },
          { ...pending, interactionId: 'a3', attempt: 2 },
        ],
      }),
    ],
    [
      'a second attempt after a right answer',
      clean,
      final({
        interactions: [answered, { ...pending, interactionId: 'a2', attempt: 2, status: 'cancelled' }],
      }),
    ],
    ['an effect that lands twice', clean, final({ operation: 'parse_prd' }, { projects: { p: ['x', 'x'] } })],
    [
      'two rival answers that both land',
      history([start, started], [right('x'), accepted], [right('y')]),
      final({ operation: 'parse_prd' }, { projects: { p: ['x', 'y'] } }),
    ],
    [
      'one start that begins two tasks',
      history(
        [start, started],
        [start, { verdict: 'ok', task: { taskId: 'b', status: 'working', pending: [] } }],
      ),
      { ...final(open, { openTasks: 2 }), tasks: [open, { ...open, taskId: 'b' }] },
    ],
    [
      'a task that no reply reported',
      clean,
      { ...final({}), tasks: [done, { ...done, taskId: 'b', interactions: [], status: 'cancelled' }] },
    ],
  ])('%s', (_what, entries, state) => {
    expect(found(entries, state)).toContain('I1');
  });
});

describe('I2, nothing accepted is lost, is violated by', () => {
  test.each<[string, readonly HistoryEntry[], FinalState]>([
    [
      'an accepted answer whose task never continues',
      clean,
      final({ ...open, status: 'working', interactions: [answered] }),
    ],
    ['a result that its answers do not explain', clean, final({ end: '{"value":"z"}' })],
    ['a result without its effect', clean, final({ operation: 'parse_prd' }, { projects: { p: [] } })],
    ['a task that failed although its answer was right', clean, final(failed('internal'))],
    ['an agent error that no answer reported', clean, final(failed('agent_error'))],
    ['a cancellation that no client requested', clean, final(failed('task_cancelled'))],
    ['an expiry without anything that expired', clean, final(failed('interaction_expired'))],
    [
      'answer_invalid before the last attempt',
      history([start, started], [wrong, accepted]),
      final(failed('answer_invalid')),
    ],
  ])('%s', (_what, entries, state) => {
    expect(found(entries, state)).toEqual(['I2']);
  });
});

describe('I3, every task has ended by its deadline plus 5 s,', () => {
  const late = final({ ...failed('task_expired'), endedAt: DUE + 6_000 });
  const outage = (from: number, to: number, ...targets: string[]): HistoryEntry[] => [
    ...targets.map((target): HistoryEntry => ({ at: from, type: 'out', target })),
    ...targets.map((target): HistoryEntry => ({ at: to, type: 'back', target })),
  ];

  test.each<[string, readonly HistoryEntry[], FinalState]>([
    ['is violated by one that ended later', history([start, started]), late],
    [
      'is violated by one that has not ended then',
      history([start, started]),
      final(open, { readAt: DUE + 5_001 }),
    ],
    [
      'is violated by one that expired too early',
      history([start, started]),
      final({ ...failed('task_expired'), endedAt: DUE - 1 }),
    ],
    [
      'is violated although one of two workers was down',
      [...history([start, started]), ...outage(DUE, DUE + 9_000, 'worker-0'), ...outage(1, 2, 'worker-1')],
      late,
    ],
    [
      'is violated although Redis was down before',
      [...history([start, started]), ...outage(DUE - 9_000, DUE, 'redis')],
      late,
    ],
  ])('%s', (_what, entries, state) => {
    expect(found(entries, state)).toEqual(['I3']);
  });

  test.each([
    ['Redis', ['redis']],
    ['every worker', ['worker-0', 'worker-1']],
    ['the machine', ['machine']],
  ])('is not violated when %s was down for that long', (_who, targets) => {
    expect(
      checkHistory([...history([start, started]), ...outage(DUE + 100, DUE + 1_200, ...targets)], late),
    ).toEqual([]);
  });
});

describe('I4, a success is reported only after it is durable, is violated by', () => {
  test.each<[string, readonly HistoryEntry[], FinalState]>([
    ['a reported task that does not exist', history([start, started]), final(undefined)],
    ['an accepted answer that is not stored', clean, final(open)],
    [
      'an accepted answer whose interaction is pending again',
      history([start, started], [right('x'), accepted], [{ f: 'status', taskId: 'a' }, started]),
      final({}),
    ],
    [
      'an answer that is accepted twice',
      history([start, started], [right('x'), accepted], [right('x'), accepted]),
      final({}),
    ],
    [
      'an accepted answer that is refused when repeated',
      history(
        [start, started],
        [right('x'), accepted],
        [right('x'), { verdict: 'interaction_already_answered' }],
      ),
      final({}),
    ],
    [
      'two answers to one interaction that are both accepted',
      history([start, started], [right('x'), accepted], [right('y'), accepted]),
      final({}),
    ],
    [
      'a result that differs from the reported one',
      history([start, started], [right('x'), ended('{"value":"y"}')]),
      final({}),
    ],
    [
      'a reported end of a task that has not ended',
      history([start, started], [{ f: 'status', taskId: 'a' }, ended('{"value":"x"}')]),
      final(open),
    ],
    [
      'a reported cancellation of a task that completed',
      history(
        [start, started],
        [{ f: 'cancel', taskId: 'a' }, { verdict: 'ok' }],
        [right('x'), { verdict: 'unavailable' }],
      ),
      final({}),
    ],
    [
      'a refusal as already answered of a pending interaction',
      history([start, started], [right('x'), { verdict: 'interaction_already_answered' }]),
      final(open),
    ],
    [
      'a refusal as expired of an answered interaction',
      history([start, started], [right('x'), { verdict: 'interaction_expired' }]),
      final({}),
    ],
  ])('%s', (_what, entries, state) => {
    expect(found(entries, state)).toEqual(['I4']);
  });
});
