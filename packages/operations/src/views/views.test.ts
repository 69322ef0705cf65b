import { describe, expect, it } from 'vitest';
import { applyCommand } from '../project/index.ts';
import {
  getTask,
  getTaskInputSchema,
  getTaskResultSchema,
  getTasks,
  getTasksInputSchema,
  getTasksResultSchema,
  nextTask,
  nextTaskInputSchema,
  nextTaskResultSchema,
} from './index.ts';

const NOW = '2026-03-01T12:00:00.000Z';
type Given = Record<string, unknown>;

function projectOf(tasks: readonly Given[]) {
  const titled = tasks.map((task) => ({
    title: `T${String(task['id'])}`,
    ...task,
    subtasks: ((task['subtasks'] ?? []) as Given[]).map((part) => ({
      title: `P${String(part['id'])}`,
      ...part,
    })),
  }));
  return applyCommand(undefined, { command: 'import', file: { master: { tasks: titled } } }, NOW).project;
}

const FILE = [
  {
    id: 1,
    status: 'in-progress',
    details: 'Long.',
    subtasks: [
      { id: 1, status: 'done', details: 'Long too.' },
      { id: 2, status: 'pending' },
    ],
  },
  { id: 2, status: 'done' },
  { id: 3, status: 'cancelled', owner: 'ada' },
];

describe('get_tasks', () => {
  const get = (input: Given) => {
    const result = getTasks(projectOf(FILE), getTasksInputSchema.parse(input));
    expect(getTasksResultSchema.safeParse(result).error).toBeUndefined();
    return result;
  };
  const ids = (input: Given) => get(input).tasks.map(({ id }) => id);

  it.each([
    [{}, [1, 2, 3]],
    [{ status: 'all' }, [1, 2, 3]],
    [{ status: '' }, [1, 2, 3]],
    [{ status: 'done' }, [2]],
    [{ status: 'completed, in progress' }, [1, 2]],
    [{ status: 'blocked' }, []],
  ])('filters by %j', (input, expected) => {
    expect(ids(input)).toEqual(expected);
  });

  it('leaves details to get_task, subtasks to withSubtasks, and unknown fields where they are', () => {
    const [first, , third] = get({}).tasks;
    expect(first).not.toHaveProperty('details');
    expect(first).not.toHaveProperty('subtasks');
    expect(third).toMatchObject({ owner: 'ada' });
    const [whole] = get({ withSubtasks: true }).tasks;
    expect(whole?.subtasks?.map(({ id }) => id)).toEqual([1, 2]);
    expect(JSON.stringify(whole)).not.toContain('Long');
  });

  it('counts the whole tag, whatever the filter', () => {
    expect(get({ status: 'done' }).stats).toEqual({
      total: 3,
      completed: 1,
      inProgress: 1,
      pending: 0,
      review: 0,
      blocked: 0,
      deferred: 0,
      cancelled: 1,
      completionPercentage: 33.33,
      subtasks: {
        total: 2,
        completed: 1,
        inProgress: 0,
        pending: 1,
        review: 0,
        blocked: 0,
        deferred: 0,
        cancelled: 0,
        completionPercentage: 50,
      },
    });
  });

  it('refuses an unknown status, tag and project, each by its name', () => {
    expect(() => get({ status: 'done,asleep' })).toThrow(/status: 'asleep'/);
    expect(() => get({ tag: 'nope' })).toThrow(expect.objectContaining({ code: 'tag_not_found' }));
    expect(() => getTasks(undefined, getTasksInputSchema.parse({ projectRoot: 'p1' }))).toThrow(
      expect.objectContaining({ code: 'project_not_found', message: expect.stringContaining("'p1'") }),
    );
  });

  it('is empty, not absent, for a tag without tasks', () => {
    const empty = getTasks(projectOf([]), getTasksInputSchema.parse({}));
    expect(empty).toMatchObject({ tasks: [], stats: { total: 0, completionPercentage: 0 } });
  });
});

describe('get_task', () => {
  const get = (input: Given) => {
    const result = getTask(projectOf(FILE), getTaskInputSchema.parse(input));
    expect(getTaskResultSchema.safeParse(result).error).toBeUndefined();
    return (result.task ?? {}) as { subtasks?: unknown };
  };

  it('gives a task whole', () => {
    expect(get({ id: '1' })).toMatchObject({ id: 1, details: 'Long.', subtasks: [{ id: 1 }, { id: 2 }] });
    expect(get({ id: 3 })).toMatchObject({ id: 3, owner: 'ada' });
  });

  it('gives a subtask under its outside id, with its task', () => {
    expect(get({ id: '1.1' })).toMatchObject({
      id: '1.1',
      details: 'Long too.',
      parentTask: { id: 1, title: 'T1', status: 'in-progress' },
    });
  });

  it('filters its subtasks by status', () => {
    expect(get({ id: '1', status: 'pending' })['subtasks']).toMatchObject([{ id: 2 }]);
  });

  it.each([
    ['9', 'project_task_not_found', /no task 9/],
    ['1.9', 'project_task_not_found', /no subtask 1\.9/],
    ['1,two', 'invalid_arguments', /'two'/],
    ['8,9.1', 'project_task_not_found', /no task 8/],
    ['one', 'invalid_arguments', /'one'/],
    ['-1', 'invalid_arguments', /'-1'/],
  ])('refuses %s', (id, code, message) => {
    expect(() => get({ id })).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it('gives several in the order in which they are asked for, and names those that do not exist', () => {
    const result = getTask(projectOf(FILE), getTaskInputSchema.parse({ id: '3, 1.1,9,3' }));
    expect(result).toMatchObject({ tasks: [{ id: 3 }, { id: '1.1' }], notFound: ['9'] });
    expect(result.task).toBeUndefined();
  });

  it('of several leaves out what a reply has no room for, and says which', () => {
    const large = [1, 2, 3, 4].map((id) => ({ id, details: 'x'.repeat(25_000) }));
    const result = getTask(projectOf(large), getTaskInputSchema.parse({ id: '1,2,3,4' }));
    expect(result.tasks?.map(({ id }) => id)).toEqual([1, 2]);
    expect(result.notShown).toEqual(['3', '4']);
  });
});

describe('next_task', () => {
  const next = (tasks: readonly Given[]) => {
    const result = nextTask(projectOf(tasks), nextTaskInputSchema.parse({}));
    expect(nextTaskResultSchema.safeParse(result).error).toBeUndefined();
    return result;
  };

  it.each<[string, Given[], number | string | null]>([
    ['the first by id', [{ id: 2 }, { id: 1 }], 1],
    ['by priority first', [{ id: 1, priority: 'low' }, { id: 2, priority: 'high' }, { id: 3 }], 2],
    [
      'then by fewer dependencies',
      [
        { id: 1, status: 'done' },
        { id: 2, dependencies: [1] },
        { id: 3, dependencies: [] },
      ],
      3,
    ],
    ['what is in progress may be next', [{ id: 1, status: 'in-progress' }, { id: 2 }], 1],
    [
      'never what waits',
      [
        { id: 1, status: 'blocked' },
        { id: 2, dependencies: [1] },
        { id: 3, priority: 'low' },
      ],
      3,
    ],
    [
      'a cancelled dependency does not satisfy',
      [
        { id: 1, status: 'cancelled' },
        { id: 2, dependencies: [1] },
      ],
      null,
    ],
    [
      'a done one does',
      [
        { id: 1, status: 'completed' },
        { id: 2, dependencies: [1] },
      ],
      2,
    ],
    ['nothing when all is done', [{ id: 1, status: 'done' }], null],
    ['nothing in an empty tag', [], null],
    [
      'subtasks of tasks in progress before everything else',
      [
        { id: 1, priority: 'high' },
        { id: 2, priority: 'low', status: 'in-progress', subtasks: [{ id: 1 }] },
      ],
      '2.1',
    ],
    [
      'never subtasks of a task that was not begun',
      [
        { id: 1, priority: 'low', subtasks: [{ id: 1 }] },
        { id: 2, priority: 'high' },
      ],
      2,
    ],
    [
      'subtasks whose siblings are done',
      [
        {
          id: 1,
          status: 'in-progress',
          subtasks: [
            { id: 1, status: 'done' },
            { id: 3, dependencies: [2] },
            { id: 4, dependencies: [1, '1.1'] },
            { id: 2, status: 'cancelled' },
          ],
        },
      ],
      '1.4',
    ],
    [
      'subtasks by their own priority, or else their task’s',
      [
        {
          id: 1,
          status: 'in-progress',
          priority: 'low',
          subtasks: [{ id: 1 }, { id: 2, priority: 'medium' }],
        },
        { id: 2, status: 'in-progress', priority: 'medium', subtasks: [{ id: 1, priority: 'high' }] },
      ],
      '2.1',
    ],
  ])('%s', (_claim, tasks, expected) => {
    const { task, message } = next(tasks);
    expect(task?.id ?? null).toBe(expected);
    expect(message).not.toBe('');
  });

  it('names what is waited for and will not be done by itself, five of it', () => {
    const set = (ids: readonly number[]): Given[] => ids.map((id) => ({ id, status: 'cancelled' }));
    const waits = (dependencies: number[]) => ({ id: 20, dependencies });
    expect(
      next([
        { id: 1, status: 'deferred' },
        { id: 2, dependencies: [1] },
        { id: 3, dependencies: [2] },
      ]).message,
    ).toBe(
      'None of the 2 open tasks can start: each waits for a dependency that is not done. ' +
        'Not done and not open either: 1 (deferred). Set its status, or remove the dependency on it.',
    );
    expect(next([...set([1, 2, 3, 4, 5, 6, 7]), waits([1, 2, 3, 4, 5, 6])]).message).toContain(
      '5 (cancelled) and 1 more.',
    );
  });
});
