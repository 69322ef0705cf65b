import { describe, expect, it } from 'vitest';
import { applyCommand } from '../command.ts';
import { parseTasksFileInSteps, parseTasksFile, toTasksFile } from './tasks-file.ts';

const NOW = '2026-03-01T12:00:00.000Z';

const read = (file: unknown) => parseTasksFile(file, NOW);
const tasksOf = (tasks: unknown[]) => read({ master: { tasks } }).tags.get('master')?.tasks ?? [];

/** As claude-task-master 0.2x writes it. */
const WRITTEN = {
  master: {
    tasks: [
      {
        id: 1,
        title: 'Set up the repository',
        description: 'Create the workspace.',
        details: 'npm workspaces, strict TypeScript.',
        testStrategy: 'A clean clone builds.',
        priority: 'high',
        dependencies: [],
        status: 'done',
        subtasks: [],
      },
      {
        id: 2,
        title: 'Ingest telemetry',
        description: 'Accept positions.',
        status: 'in-progress',
        dependencies: [1],
        priority: 'medium',
        details: '',
        testStrategy: '',
        complexityScore: 7,
        subtasks: [
          {
            id: 1,
            title: 'Schema',
            description: '',
            dependencies: [],
            details: 'Protobuf.',
            status: 'done',
            parentTaskId: 2,
          },
          {
            id: 2,
            title: 'Endpoint',
            description: '',
            dependencies: [1, '2.1'],
            details: '',
            status: 'pending',
          },
        ],
      },
    ],
    metadata: {
      created: '2025-06-15T10:00:00.000Z',
      updated: '2025-07-01T10:00:00.000Z',
      description: 'Default tasks context',
      owner: 'platform',
    },
  },
  'feature-maps': {
    tasks: [],
    metadata: {
      created: '2025-06-20T10:00:00.000Z',
      updated: '2025-06-20T10:00:00.000Z',
      description: 'Maps',
    },
    note: { kept: true },
  },
};

describe('a file of claude-task-master', () => {
  it('comes out as the very text that went in', () => {
    const { project } = applyCommand(undefined, { command: 'import', file: WRITTEN }, NOW);
    expect(JSON.stringify(toTasksFile(project), null, 2)).toBe(JSON.stringify(WRITTEN, null, 2));
  });

  it('without tags is read as tag master', () => {
    const { tags } = read({ tasks: [{ id: 1, title: 'A' }], meta: { projectName: 'old' } });
    expect([...tags.keys()]).toEqual(['master']);
    expect(tags.get('master')).toMatchObject({
      metadata: { created: NOW, updated: NOW },
      extra: { meta: { projectName: 'old' } },
    });
  });

  it('may have a tag that is called tasks', () => {
    expect([...read({ tasks: { tasks: [] } }).tags.keys()]).toEqual(['tasks']);
  });

  it.each([
    ['numeric strings as ids', { id: '4', title: 'A' }, { id: 4 }],
    ['completed', { id: 4, title: 'A', status: 'completed' }, { status: 'done' }],
    ['In Progress', { id: 4, title: 'A', status: 'In Progress' }, { status: 'in-progress' }],
    [
      'nulls',
      { id: 4, title: 'A', description: null, dependencies: null, priority: null },
      { dependencies: [], priority: 'medium' },
    ],
    ['nothing but id and title', { id: 4, title: 'A' }, { status: 'pending', description: '', subtasks: [] }],
  ])('is evened out: %s', (_what, task, expected) => {
    expect(tasksOf([task])[0]).toMatchObject(expected);
  });

  it('loses a dependency on nothing, and says so', () => {
    const file = {
      master: {
        tasks: [
          { id: 1, title: 'A', dependencies: [99], subtasks: [{ id: 1, title: 'B', dependencies: ['7.7'] }] },
        ],
      },
    };
    const { tags, droppedDependencies } = read(file);
    expect(droppedDependencies).toEqual(['master 1: 99', 'master 1.1: 7.7']);
    expect(tags.get('master')?.tasks[0]).toMatchObject({
      dependencies: [],
      subtasks: [{ dependencies: [] }],
    });
  });

  it('may have a subtask depend on another task, when it has no sibling of that id', () => {
    const tasks = [
      { id: 1, title: 'A', subtasks: [{ id: 1, title: 'B', dependencies: [9] }] },
      { id: 9, title: 'C' },
    ];
    expect(tasksOf(tasks)[0]?.subtasks[0]?.dependencies).toEqual([9]);
  });
});

describe('a file that cannot be read is refused with its path and its value', () => {
  it.each([
    [null, /The file: must be an object.*null/],
    [[], /The file: must be an object/],
    [{}, /at least one tag/],
    [{ master: 3 }, /^master: .*it is 3/],
    [{ master: { tasks: {} } }, /^master\.tasks: .*it is \{\}/],
    [{ master: { tasks: [{ id: 'x', title: 'A' }] } }, /^master\.tasks\.0\.id: .*"x"/],
    [{ master: { tasks: [{ id: 1.5, title: 'A' }] } }, /^master\.tasks\.0\.id: .*1\.5/],
    [{ master: { tasks: [{ id: 1 }] } }, /^master\.tasks\.0\.title: .*nothing/],
    [
      { master: { tasks: [{ id: 1, title: 'A', status: 'asleep' }] } },
      /^master\.tasks\.0\.status: must be one of.*"asleep"/,
    ],
    [
      { master: { tasks: [{ id: 1, title: 'A', dependencies: ['one'] }] } },
      /^master\.tasks\.0\.dependencies\.0: .*"one"/,
    ],
    [{ master: { tasks: [{ id: 1, title: 'x'.repeat(2001) }] } }, /^master\.tasks\.0\.title: /],
    [
      {
        master: {
          tasks: [
            { id: 1, title: 'A' },
            { id: '1', title: 'B' },
          ],
        },
      },
      /^master\.tasks: two tasks have the same id; it is 1/,
    ],
    [
      {
        master: {
          tasks: [
            {
              id: 1,
              title: 'A',
              subtasks: [
                { id: 1, title: 'B' },
                { id: 1, title: 'C' },
              ],
            },
          ],
        },
      },
      /^master\.tasks\.0\.subtasks: two subtasks/,
    ],
    [{ 'a b': { tasks: [] } }, /^a b: the tag must be/],
  ])('%j', (file, message) => {
    expect(() => read(file)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', message: expect.stringMatching(message) }),
    );
  });

  it.each([
    [
      'tasks',
      [
        { id: 1, title: 'A', dependencies: [2] },
        { id: 2, title: 'B', dependencies: [1] },
      ],
    ],
    ['one task', [{ id: 1, title: 'A', dependencies: [1] }]],
    [
      'a subtask and a task',
      [
        {
          id: 1,
          title: 'A',
          dependencies: ['1.1'],
          subtasks: [{ id: 1, title: 'B', dependencies: ['2.1'] }],
        },
        { id: 2, title: 'C', subtasks: [{ id: 1, title: 'D', dependencies: ['1.1'] }] },
      ],
    ],
  ])('a ring of %s', (_what, tasks) => {
    expect(() => tasksOf(tasks)).toThrow(expect.objectContaining({ code: 'dependency_cycle' }));
  });
});

it('a tag called __proto__ is a tag, and nothing else', () => {
  const file = JSON.parse('{ "__proto__": { "tasks": [{ "id": 1, "title": "A" }] } }');
  const { project } = applyCommand(undefined, { command: 'import', file }, NOW);
  expect(project.tags.get('__proto__')?.tasks).toHaveLength(1);
  expect(JSON.stringify(toTasksFile(project))).toContain('"__proto__"');
  expect(({} as Record<string, unknown>)['tasks']).toBeUndefined();
});

describe('a file that is large', () => {
  const many = <T>(count: number, of: (index: number) => T) =>
    Array.from({ length: count }, (_, at) => of(at));

  it('is read in slices, one for each task and tag', () => {
    const file = { a: { tasks: many(30, (at) => ({ id: at + 1, title: 'T' })) }, b: { tasks: [] } };
    let slices = 0;
    const reading = parseTasksFileInSteps(file, NOW);
    let turn = reading.next();
    for (; !turn.done; turn = reading.next()) slices++;
    expect(slices).toBe(32);
    expect(turn.value).toEqual(read(file));
  });

  it('is refused for more fields and elements than are stored and read in time', () => {
    const file = (count: number) => ({
      master: { tasks: [{ id: 1, title: 'T', extra: many(count, () => []) }] },
    });
    expect(() => read(file(140_000))).not.toThrow();
    expect(() => read(file(150_000))).toThrow(/more than 150000 fields and elements/);
  });

  it('is refused for more tags, or more dependencies in one, than a project may have', () => {
    const tags = (count: number) => Object.fromEntries(many(count, (at) => [`t${at}`, { tasks: [] }]));
    expect(read(tags(1_000)).tags.size).toBe(1_000);
    expect(() => read(tags(1_001))).toThrow(/more than 1000 tags \(1001\)/);
    const tasks = (each: number) =>
      many(100, (at) => ({ id: at + 1, title: 'T', dependencies: many(each, (n) => n + 500) }));
    expect(() => read({ master: { tasks: tasks(500) } })).not.toThrow();
    expect(() => read({ master: { tasks: tasks(501) } })).toThrow(/'master': more than 50000 dependencies/);
  });
});
