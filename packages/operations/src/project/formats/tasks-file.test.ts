import { describe, expect, it } from 'vitest';
import { applyCommand } from '../command.ts';
import { parseTasksFileInSteps, parseTasksFile } from './tasks-file.ts';
import { toTasksFile } from '../../testing/whole-project.ts';

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
    const { tags, repairs } = read(file);
    expect(repairs.map(({ place }) => place)).toEqual([
      'master.tasks.0.dependencies',
      'master.tasks.0.subtasks.0.dependencies',
    ]);
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

it.each([
  [null, /The file: must be an object.*null/],
  [[], /The file: must be an object/],
  [{}, /at least one tag/],
  [{ master: 3 }, /at least one tag/],
  [{ master: { tasks: {} } }, /at least one tag/],
])('a file without a tag is refused: %j', (file, message) => {
  expect(() => read(file)).toThrow(
    expect.objectContaining({ code: 'invalid_arguments', message: expect.stringMatching(message) }),
  );
});

describe('a damaged file is repaired, and each repair names its place:', () => {
  const A = { id: 1, title: 'A' };
  const both = (dependencies: [unknown[], unknown[]]) => [
    { ...A, dependencies: dependencies[0] },
    { id: 2, title: 'B', dependencies: dependencies[1] },
  ];
  it.each<[string, unknown[], unknown[], string[]]>([
    ['a task without an id', [A, { id: 'x', title: 'B' }], [{}, { id: 2 }], ['master.tasks.1.id']],
    [
      'two tasks of one id',
      [A, { id: '1', title: 'B' }],
      [{ id: 1 }, { id: 2, title: 'B' }],
      ['master.tasks.1.id'],
    ],
    [
      'subtasks with the ids of people, two of them alike',
      [
        {
          ...A,
          subtasks: [
            { id: '1.1', title: 'S' },
            { id: 1, title: 'T' },
          ],
        },
      ],
      [
        {
          subtasks: [
            { id: 1, title: 'S' },
            { id: 2, title: 'T' },
          ],
        },
      ],
      ['master.tasks.0.subtasks.0.id', 'master.tasks.0.subtasks.1.id'],
    ],
    ['no title', [{ id: 4 }], [{ title: 'Task 4' }], ['master.tasks.0.title']],
    [
      'a title that is too long',
      [{ id: 1, title: 'x'.repeat(2_001) }],
      [{ title: 'x'.repeat(2_000), metadata: { title: 'x'.repeat(2_001) } }],
      ['master.tasks.0.title'],
    ],
    [
      'a status that is none',
      [{ ...A, status: 'asleep', metadata: { kept: 1 } }],
      [{ status: 'pending', metadata: { kept: 1, status: 'asleep' } }],
      ['master.tasks.0.status'],
    ],
    [
      'a status in other words',
      [{ ...A, status: 'completed' }],
      [{ status: 'done' }],
      ['master.tasks.0.status'],
    ],
    [
      'a priority that is null',
      [{ ...A, priority: null }],
      [{ priority: 'medium' }],
      ['master.tasks.0.priority'],
    ],
    [
      'dependencies that are no ids',
      [
        { ...A, dependencies: ['one', 2, {}] },
        { id: 2, title: 'B' },
      ],
      [{ dependencies: [2], metadata: { dependencies: ['one', {}] } }, {}],
      ['master.tasks.0.dependencies'],
    ],
    [
      'two tasks that depend on each other',
      both([[2], [1]]),
      [{ dependencies: [2] }, { dependencies: [] }],
      ['master.tasks.1.dependencies'],
    ],
    [
      'a task that depends on itself',
      both([[1], [1]]),
      [{ dependencies: [] }, { dependencies: [1] }],
      ['master.tasks.0.dependencies'],
    ],
    [
      'subtasks that depend on each other',
      [
        {
          ...A,
          subtasks: [
            { id: 1, title: 'S', dependencies: ['1.2'] },
            { id: 2, title: 'T', dependencies: [1] },
          ],
        },
      ],
      [{ subtasks: [{ dependencies: ['1.2'] }, { dependencies: [] }] }],
      ['master.tasks.0.subtasks.1.dependencies'],
    ],
    ['tasks that are none', [A, 'note', null], [{ id: 1 }], ['master.tasks']],
    [
      'subtasks that are none',
      [{ ...A, subtasks: ['note'] }],
      [{ metadata: { subtasks: ['note'] } }],
      ['master.tasks.0.subtasks'],
    ],
  ])('%s', (_what, tasks, expected, places) => {
    const { tags, repairs } = read({ master: { tasks } });
    expect(tags.get('master')?.tasks).toMatchObject(expected);
    expect(repairs.map(({ place }) => place)).toEqual(places);
  });

  it('names and values of tags', () => {
    const { tags, repairs } = read({ 'a b': { tasks: [] }, 'a-b': { tasks: [] }, version: 3 });
    expect([...tags.keys()]).toEqual(['a-b-2', 'a-b']);
    expect(tags.get('a-b-2')?.metadata).toMatchObject({ version: 3 });
    expect(repairs.map(({ place }) => place)).toEqual(['a b', 'version']);
  });

  it('names that are alike, without length, too long or cut within a character', () => {
    const names = [
      'a/b',
      'größe/ß',
      '',
      'x'.repeat(70),
      `${'x'.repeat(49)}\u{1d400}${'x'.repeat(20)}`,
      'a b',
    ];
    const { tags } = read(Object.fromEntries(names.map((name) => [name, { tasks: [] }])));
    expect([...tags.keys()]).toEqual([
      'a-b',
      'größe-ß',
      'tag',
      'x'.repeat(50),
      `${'x'.repeat(49)}-`,
      'a-b-2',
    ]);
  });

  it('what was repaired once needs no repair again', () => {
    const subtask = { id: '1.1', title: 3, dependencies: ['x', 9] };
    const damaged = { t: { tasks: [{ id: 'x', dependencies: [1], subtasks: [subtask, subtask, 7] }, 8] } };
    const { project } = applyCommand(undefined, { command: 'import', file: damaged }, NOW);
    expect(read(damaged).repairs.length).toBeGreaterThan(5);
    expect(read(toTasksFile(project)).repairs).toEqual([]);
  });

  it('a dependency between a task and its own subtask closes a cycle', () => {
    const part = { id: 1, title: 'P', dependencies: ['5.2', 5] };
    const tasks = [{ id: 5, title: 'T', dependencies: ['5.1'], subtasks: [part, { id: 2, title: 'Q' }] }];
    const { tags, repairs } = read({ master: { tasks } });
    expect(repairs.map(({ place }) => place)).toEqual([
      'master.tasks.0.dependencies',
      'master.tasks.0.subtasks.0.dependencies',
    ]);
    expect(tags.get('master')?.tasks).toMatchObject([
      { dependencies: [], subtasks: [{ dependencies: ['5.2'] }, {}] },
    ]);
  });

  it('a file of many cycles is repaired in one walk', () => {
    const ids = Array.from({ length: 220 }, (_, at) => at + 1);
    const tasks = ids.map((id) => ({ id, title: 'T', dependencies: ids }));
    // Each of n tasks keeps its dependencies on those behind it: n (n - 1) / 2 of n * n.
    expect(read({ master: { tasks } }).repairs).toHaveLength((220 * 221) / 2);
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
