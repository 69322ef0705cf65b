import { describe, expect, it } from 'vitest';
import { applyCommand, type ProjectCommand } from '../command.ts';
import { statusSchema } from '../model/status-and-priority.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const part = (id: number, status = 'pending') => ({ id, title: `P${id}`, status });
const FILE = {
  master: {
    tasks: [
      { id: 1, title: 'A', subtasks: [part(1), part(2, 'done'), part(3, 'cancelled')] },
      { id: 2, title: 'B' },
      { id: 3, title: 'C', status: 'done' },
    ],
  },
  other: { tasks: [{ id: 9, title: 'Z' }] },
};

const project = () => applyCommand(undefined, { command: 'import', file: FILE }, NOW).project;
const set = (id: string, status: string, tag?: string) =>
  applyCommand(project(), { command: 'set_status', id, status: statusSchema.parse(status), tag }, NOW);

describe('set_status', () => {
  it.each([
    ['2', 'in-progress', [['2', 'pending']]],
    ['1.1', 'review', [['1.1', 'pending']]],
    [
      '1.1,2',
      'blocked',
      [
        ['1.1', 'pending'],
        ['2', 'pending'],
      ],
    ],
    [
      ' 2 , 3 ',
      'deferred',
      [
        ['2', 'pending'],
        ['3', 'done'],
      ],
    ],
    ['2,2', 'blocked', [['2', 'pending']]],
    ['3', 'done', []],
    ['1', 'in-progress', [['1', 'pending']]],
  ])('%s to %s changes exactly what it names', (id, status, expected) => {
    const { outcome } = set(id, status);
    expect(outcome['updated']).toEqual(
      expected.map(([changed, from]) => ({ id: changed, from, to: status })),
    );
  });

  it('done on a task makes its subtasks done', () => {
    const { outcome } = set('1', 'done');
    expect(outcome['updated']).toEqual([
      { id: '1', from: 'pending', to: 'done' },
      { id: '1.1', from: 'pending', to: 'done' },
      { id: '1.3', from: 'cancelled', to: 'done' },
    ]);
  });

  it.each([
    ['completed', 'done'],
    ['in progress', 'in-progress'],
    ['in_progress', 'in-progress'],
    ['todo', 'pending'],
    ['canceled', 'cancelled'],
  ])('knows the wording %s', (wording, status) => {
    expect(set('9', wording, 'other').project.tags.get('other')?.tasks[0]?.status).toBe(status);
  });

  it.each([
    ['4', 'project_task_not_found', /no task 4/],
    ['1.9', 'project_task_not_found', /no subtask 1\.9/],
    ['2,4', 'project_task_not_found', /no task 4/],
    ['x', 'invalid_arguments', /'x'/],
    ['1.2.3', 'invalid_arguments', /'1\.2\.3'/],
    ['0', 'invalid_arguments', /'0'/],
    [' , ', 'invalid_arguments', /id/],
  ])('refuses %s whole', (id, code, message) => {
    expect(() => set(id, 'done')).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it('names the tags that there are when one is unknown, and says when there is no project', () => {
    expect(() => set('1', 'done', 'nope')).toThrow(/no tag 'nope'. Its tags: master, other/);
    const command = { command: 'set_status', id: '1', status: 'done' } as const;
    expect(() => applyCommand(undefined, command, NOW)).toThrow(
      expect.objectContaining({ code: 'project_not_found' }),
    );
  });

  it('is the same project, untouched, when nothing changes', () => {
    const before = project();
    expect(applyCommand(before, { command: 'set_status', id: '3', status: 'done' }, 'later').project).toBe(
      before,
    );
  });
});

describe('start_next', () => {
  const start = (tasks: readonly object[]) => {
    const file = { master: { tasks: tasks.map((task) => ({ title: 'T', ...task })) } };
    const before = applyCommand(undefined, { command: 'import', file }, NOW).project;
    const { outcome, project: after } = applyCommand(before, { command: 'start_next' }, NOW);
    return { outcome, same: after === before };
  };

  it.each<[string, object[], number | string]>([
    ['leaves what is in progress', [{ id: 1, status: 'in-progress' }, { id: 2 }], 2],
    [
      'takes subtasks of tasks in progress first',
      [{ id: 1 }, { id: 2, status: 'in-progress', subtasks: [part(1)] }],
      '2.1',
    ],
    [
      'waits for dependencies',
      [{ id: 1, status: 'in-progress' }, { id: 2, dependencies: [1] }, { id: 3 }],
      3,
    ],
  ])('%s', (_claim, tasks, expected) => {
    const { outcome } = start(tasks);
    expect(outcome['task']).toMatchObject({ id: expected, status: 'in-progress' });
    expect(outcome['message']).toMatch(new RegExp(`^Started ${expected}: `));
  });

  describe('restartAfterMinutes', () => {
    const at = (minutes: number) => new Date(Date.parse(NOW) + minutes * 60_000).toISOString();
    /** Commands at their minutes, one after the other; the outcome of the last. */
    const outcomeOf = (tasks: readonly object[], ...commands: [minute: number, command: object][]) => {
      const file = { master: { tasks: tasks.map((task) => ({ title: 'T', ...task })) } };
      let applied = applyCommand(undefined, { command: 'import', file }, NOW);
      for (const [minute, command] of commands)
        applied = applyCommand(applied.project, command as ProjectCommand, at(minute));
      return applied.outcome;
    };
    const start = { command: 'start_next' };
    const restart = { command: 'start_next', restartAfterMinutes: 30 };
    const set = (id: string, status: string) => ({ command: 'set_status', id, status });

    it('gives again what was started so long ago, with when it was, and counts from then', () => {
      expect(outcomeOf([{ id: 1 }], [0, start], [30, restart])).toMatchObject({
        task: { id: 1, status: 'in-progress', startedAt: at(30) },
        message: `Started 1: T (again: in progress since ${at(0)})`,
      });
      expect(outcomeOf([{ id: 1 }], [0, start], [30, restart], [59, restart])['task']).toBeNull();
      expect(outcomeOf([{ id: 1 }], [0, start], [30, restart], [60, restart])['task']).toMatchObject({
        id: 1,
      });
    });

    it.each<[string, object[], [number, object][]]>([
      ['what was started later', [{ id: 1 }], [[1, start]]],
      ['what was set in progress otherwise', [{ id: 1 }], [[0, set('1', 'in-progress')]]],
      [
        'what was set aside and in progress since',
        [{ id: 1 }],
        [
          [0, start],
          [1, set('1', 'review')],
          [2, set('1', 'in-progress')],
        ],
      ],
      [
        'what is done',
        [{ id: 1 }],
        [
          [0, start],
          [1, set('1', 'done')],
        ],
      ],
      [
        'a task whose subtask is worked on',
        [{ id: 1, subtasks: [part(1)] }],
        [
          [0, start],
          [1, start],
        ],
      ],
      ['where nobody asks for it', [{ id: 1 }], [[0, start]]],
    ])('does not give %s', (claim, tasks, before) => {
      const last = claim.startsWith('where') ? start : restart;
      expect(outcomeOf(tasks, ...before, [30, last])['task']).toBeNull();
    });

    it('gives a subtask again, and its task once no subtask is open', () => {
      const tasks = [{ id: 1, subtasks: [part(1)] }];
      expect(outcomeOf(tasks, [0, start], [1, start], [31, restart])['task']).toMatchObject({ id: '1.1' });
      expect(
        outcomeOf(tasks, [0, start], [1, start], [2, set('1.1', 'done')], [31, restart])['task'],
      ).toMatchObject({
        id: 1,
      });
    });
  });

  it.each<[object[], string]>([
    [[{ id: 1, status: 'done' }], 'Nothing is left to start: no task is pending or in progress.'],
    [
      [
        { id: 1, status: 'in-progress' },
        { id: 2, dependencies: [1] },
      ],
      'Nothing can be started now. In progress: 1. Pending, and waiting for dependencies that are not done: 1.',
    ],
    [
      [{ id: 1, status: 'in-progress', subtasks: [part(1, 'done'), part(2, 'cancelled')] }],
      'Nothing can be started now. In progress: 1. No subtask is left, and the task is not done, of: 1.',
    ],
  ])('changes nothing where none can be started, and says why', (tasks, message) => {
    expect(start(tasks)).toMatchObject({ same: true, outcome: { task: null, message } });
  });
});
