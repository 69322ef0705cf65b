import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyCommand, type ProjectCommand } from '../command.ts';
import { findInvariantViolations } from '../../testing/project-invariants.ts';
import { generatedTaskSchema } from '../model/generated-task.ts';
import type { Project } from '../model/project.ts';
import type { Task } from '../model/task.ts';

const NOW = '2026-03-01T12:00:00.000Z';

interface Given {
  readonly id: number | string;
  readonly dependencies?: unknown;
  readonly [field: string]: unknown;
}

type Mode = Extract<ProjectCommand, { command: 'add_tasks' }>['mode'];

function add(project: Project | undefined, given: readonly Given[], mode: Mode = 'append', below?: number) {
  const tasks = given.map((task, index) =>
    generatedTaskSchema.parse({ title: `T${index + 1}`, description: '', ...task }),
  );
  const seenBelow = below === undefined ? {} : { seenBelow: below };
  return applyCommand(project, { command: 'add_tasks', tag: 'master', mode, tasks, ...seenBelow }, NOW);
}

function links(project: Project): Record<number, Task['dependencies']> {
  const tasks = project.tags.get('master')?.tasks ?? [];
  return Object.fromEntries(tasks.map(({ id, dependencies }) => [id, dependencies]));
}

const three = () => add(undefined, [{ id: 1 }, { id: 2 }, { id: 3 }]).project;

describe('dependencies of new tasks', () => {
  it.each([
    ['follow the new numbers', [{ id: 7 }, { id: 9, dependencies: [7] }], { 1: [], 2: [1] }],
    ['on nothing are dropped', [{ id: 1, dependencies: [42] }], { 1: [] }],
    [
      'on oneself are dropped',
      [
        { id: 1, dependencies: [1] },
        { id: 2, dependencies: [2, 1] },
      ],
      { 1: [], 2: [1] },
    ],
    ['said twice stand once', [{ id: 1 }, { id: 2, dependencies: [1, '1'] }], { 1: [], 2: [1] }],
    ['on a later task stay', [{ id: 1, dependencies: [2] }, { id: 2 }], { 1: [2], 2: [] }],
    [
      'in a ring lose the ones on later tasks',
      [
        { id: 1, dependencies: [3] },
        { id: 2, dependencies: [1] },
        { id: 3, dependencies: [2] },
      ],
      { 1: [], 2: [1], 3: [2] },
    ],
    [
      'outside of a ring are left alone',
      [
        { id: 1, dependencies: [2, 4] },
        { id: 2, dependencies: [1] },
        { id: 3, dependencies: [4] },
        { id: 4 },
      ],
      { 1: [4], 2: [1], 3: [4], 4: [] },
    ],
    [
      'on an id given twice mean the nearest task before',
      [{ id: 1 }, { id: 1 }, { id: 2, dependencies: [1] }],
      { 1: [], 2: [], 3: [2] },
    ],
    [
      'on an id given twice mean the nearest after when none is before',
      [{ id: 2, dependencies: [1] }, { id: 1 }, { id: 1 }],
      { 1: [2], 2: [], 3: [] },
    ],
  ])('%s', (_claim, tasks, expected) => {
    const { project } = add(undefined, tasks);
    expect(links(project)).toEqual(expected);
    expect(findInvariantViolations(project)).toEqual([]);
  });

  it('on existing tasks survive an append', () => {
    const { project } = add(three(), [
      { id: 4, dependencies: [2] },
      { id: 5, dependencies: [4, 1] },
    ]);
    expect(links(project)).toMatchObject({ 4: [2], 5: [4, 1] });
  });

  it('mean the new task when the LLM numbered from 1 despite what exists', () => {
    const { project } = add(three(), [{ id: 1 }, { id: 2, dependencies: [1, 3] }]);
    expect(links(project)).toMatchObject({ 4: [], 5: [4, 3] });
  });

  it('never reach a task that came in after the LLM was asked', () => {
    const { project } = add(three(), [{ id: 9, dependencies: [1, 3] }], 'append', 3);
    expect(links(project)).toMatchObject({ 4: [1] });
  });

  it('on oneself are never taken for one on an existing task of that id', () => {
    const { project } = add(three(), [{ id: 2, dependencies: [2] }]);
    expect(links(project)).toMatchObject({ 4: [] });
  });
});

describe('ids', () => {
  it('of one answer that carry the same number lose no task', () => {
    const { outcome } = add(undefined, [{ id: 1 }, { id: 1 }, { id: 1 }]);
    expect(outcome['taskIds']).toEqual([1, 2, 3]);
  });

  it('of two appends that used the same numbers are distinct, and both land', () => {
    const answer: Given[] = [{ id: 4 }, { id: 5, dependencies: [4] }];
    const first = add(three(), answer, 'append', 4);
    const second = add(first.project, answer, 'append', 4);
    expect([first.outcome['taskIds'], second.outcome['taskIds']]).toEqual([
      [4, 5],
      [6, 7],
    ]);
    expect(links(second.project)).toMatchObject({ 5: [4], 7: [6] });
    expect(findInvariantViolations(second.project)).toEqual([]);
  });

  it('go on from the highest, never into gaps', () => {
    const file = {
      master: {
        tasks: [
          { id: 3, title: 'A' },
          { id: 8, title: 'B' },
        ],
      },
    };
    const { project } = applyCommand(undefined, { command: 'import', file }, NOW);
    expect(add(project, [{ id: 1 }]).outcome['taskIds']).toEqual([9]);
  });

  it('start again at 1 when the tasks are replaced, and no dependency reaches the old ones', () => {
    const { project } = add(three(), [{ id: 5, dependencies: [2] }], 'replace');
    expect(links(project)).toEqual({ 1: [] });
  });
});

describe('a tag that is not empty', () => {
  it('is refused, naming how many tasks it has', () => {
    expect(() => add(three(), [{ id: 1 }], 'refuse_if_not_empty')).toThrow(/already has 3 tasks/);
  });

  it('is never filled beyond what a tag may hold', { timeout: 60_000 }, () => {
    const tasks = Array.from({ length: 10_000 }, (_, index) => ({ id: index + 1, title: 'T' }));
    const { project } = applyCommand(undefined, { command: 'import', file: { master: { tasks } } }, NOW);
    expect(() => add(project, [{ id: 1 }])).toThrow(/may hold 10000/);
  });
});

it('fills in what an answer left out, as claude-task-master does', () => {
  const { project } = add(undefined, [{ id: 1 }]);
  expect(JSON.parse(JSON.stringify(project.tags.get('master')))).toEqual({
    tasks: [
      {
        id: 1,
        title: 'T1',
        description: '',
        details: '',
        testStrategy: '',
        status: 'pending',
        dependencies: [],
        priority: 'medium',
        subtasks: [],
      },
    ],
    metadata: { created: NOW, updated: NOW, description: 'Tasks for master context' },
    extra: {},
  });
});

it('starts a project on the tag of its first tasks, and leaves the current tag alone afterwards', () => {
  const to = (tag: string): ProjectCommand => ({
    command: 'add_tasks',
    mode: 'append',
    tag,
    tasks: [{ id: 1, title: 'T', description: '' }],
  });
  const first = applyCommand(undefined, to('feature'), NOW).project;
  expect(first.currentTag).toBe('feature');
  expect(applyCommand(first, to('other'), NOW).project.currentTag).toBe('feature');
});

it('shares the tasks that it does not touch', () => {
  const before = three();
  const { project } = add(before, [{ id: 1 }]);
  expect(project.tags.get('master')?.tasks[0]).toBe(before.tags.get('master')?.tasks[0]);
});

describe('an answer as large as one may be', () => {
  const count = 500;
  const tasks = (id: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => ({
      id: id(index),
      dependencies: Array.from({ length: 200 }, (_value, step) => ((index + step) % count) + 1),
    }));

  it.each([
    ['in one ring', (index: number) => index + 1],
    ['under one id', () => 1],
  ])('is put in whole, %s', (_what, id) => {
    const { project } = add(undefined, tasks(id));
    expect(project.tags.get('master')?.tasks).toHaveLength(count);
    expect(findInvariantViolations(project)).toEqual([]);
  });
});

it('takes a dependency on a doubled id for the nearest before, or else after, whatever the answer', () => {
  const id = fc.integer({ min: 1, max: 4 });
  const task = fc.record({ id, dependencies: fc.array(id, { maxLength: 4 }) });
  fc.assert(
    fc.property(fc.array(task, { minLength: 1, maxLength: 8 }), (given) => {
      const { project } = add(undefined, given);
      const got = links(project);
      for (const [position, { dependencies }] of given.entries()) {
        const meant = dependencies.map((dependency) => {
          const before = given.slice(0, position).findLastIndex((other) => other.id === dependency);
          const after = given.findIndex((other, at) => at > position && other.id === dependency);
          return (before === -1 ? after : before) + 1;
        });
        for (const other of got[position + 1] ?? []) expect(meant).toContain(other);
        // What stands before may never be lost to a ring.
        for (const other of meant)
          if (other > 0 && other <= position) expect(got[position + 1]).toContain(other);
      }
      expect(findInvariantViolations(project)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
