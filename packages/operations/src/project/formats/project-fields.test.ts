import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatonError } from '@baton/protocol';
import { commandArbitrary, tasksFileArbitrary } from '../../testing/command-arbitraries.ts';
import { getOneTask, getTask } from '../../views/get-task.ts';
import { getTasks } from '../../views/get-tasks.ts';
import { nextTask } from '../../views/next-task.ts';
import { applyCommand, type ProjectCommand } from '../command.ts';
import type { Project } from '../model/project.ts';
import { taskIdsOf } from '../model/task.ts';
import { INITIAL_FIELDS } from './field-names.ts';
import { ProjectFields } from './project-fields.ts';
import { changedProjectFields } from '../../testing/whole-project.ts';
import { needWhole } from './unread.ts';

const NOW = '2026-03-01T12:00:00.000Z';

/** Computes from stored fields as the runner does; `read` are the fields that it took. */
function evaluate<T>(
  stored: ReadonlyMap<string, string>,
  compute: (project: Project, fields: ProjectFields) => T,
) {
  const fields = new ProjectFields({ whole: false });
  const read = new Set<string>(INITIAL_FIELDS);
  for (const field of read) fields.add(field, stored.get(field));
  for (let round = 0; round < 20; round++) {
    fields.missing.clear();
    let end: { value: T } | { code: unknown };
    try {
      end = { value: compute(fields.project, fields) };
    } catch (thrown) {
      end = { code: thrown instanceof BatonError ? thrown.message : thrown };
    }
    if (fields.missing.size === 0) return { end, read, rounds: round + 1 };
    for (const field of fields.wanted) {
      expect(read, 'nothing is read twice').not.toContain(field);
      read.add(field);
      fields.add(field, stored.get(field));
    }
  }
  throw new Error('it reads without end');
}

function refusalOrValue<T>(compute: () => T): { value: T } | { code: unknown } {
  try {
    return { value: compute() };
  } catch (thrown) {
    return { code: thrown instanceof BatonError ? thrown.message : thrown };
  }
}

const project = (file: object) => applyCommand(undefined, { command: 'import', file }, NOW).project;
const stored = (of: Project) => new Map(changedProjectFields(undefined, of).set);

describe('a project that is read as far as it is looked at', () => {
  it('makes every command write the same fields, copies included, and refuse the same', () => {
    let partly = 0;
    fc.assert(
      fc.property(
        tasksFileArbitrary,
        fc.array(commandArbitrary, { minLength: 1, maxLength: 4 }),
        (file, commands) => {
          let whole = project(file);
          const texts = stored(whole);
          for (const command of commands) {
            const expected = refusalOrValue(() => applyCommand(whole, command, NOW));
            const { end, read } = evaluate(texts, (found, fields) => {
              const { project: after, outcome } = applyCommand(found, command, NOW);
              needWhole(outcome);
              return { outcome: JSON.stringify(outcome), change: changedProjectFields(found, after, fields) };
            });
            if ('code' in expected) {
              expect(end).toEqual(expected);
              continue;
            }
            if (!('value' in end)) throw end.code;
            if ([...texts.keys()].some((field) => !read.has(field))) partly++;
            expect(end.value.outcome).toBe(JSON.stringify(expected.value.outcome));
            const { set, copy, delete: gone } = end.value.change;
            const copied = copy.map(([from, to]) => [to, texts.get(from)!] as const);
            for (const [field, text] of [...copied, ...set]) texts.set(field, text);
            for (const field of gone) texts.delete(field);
            whole = expected.value.project;
            expect(texts).toEqual(stored(whole));
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(partly).toBeGreaterThan(100);
  }, 60_000);

  it('goes on from changes to the project that a new reader finds', () => {
    fc.assert(
      fc.property(
        tasksFileArbitrary,
        fc.array(commandArbitrary, { minLength: 2, maxLength: 6 }),
        (file, commands) => {
          let whole = project(file);
          const kept = new ProjectFields({ whole: true });
          kept.apply(changedProjectFields(undefined, whole));
          for (const command of commands) {
            const before = kept.project;
            const applied = refusalOrValue(() => applyCommand(before, command, NOW).project);
            if ('code' in applied) continue;
            kept.apply(changedProjectFields(before, applied.value));
            whole = applyCommand(whole, command, NOW).project;
            expect(stored(kept.project)).toEqual(stored(whole));
            for (const { tasks } of kept.project.tags.values())
              expect(taskIdsOf(tasks)).toEqual(tasks.map(({ id }) => id));
          }
        },
      ),
      { numRuns: 200 },
    );
  }, 60_000);

  it('shows every view the same', () => {
    fc.assert(
      fc.property(tasksFileArbitrary, fc.integer({ min: 1, max: 6 }), (file, id) => {
        const whole = project(file);
        for (const view of [
          (of: Project) => getTask(of, { projectRoot: 'p', id: `${id}` }),
          (of: Project) => getTasks(of, { projectRoot: 'p', withSubtasks: true }),
          (of: Project) => nextTask(of, { projectRoot: 'p' }),
        ]) {
          const { end } = evaluate(stored(whole), (found) => {
            const shown = view(found);
            needWhole(shown);
            return JSON.stringify(shown);
          });
          const expected = refusalOrValue(() => JSON.stringify(view(whole)));
          expect(end).toEqual(expected);
        }
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});

describe('a large project', () => {
  const large = project({
    master: {
      tasks: Array.from({ length: 1_000 }, (_, at) => ({
        id: at + 1,
        title: `T${at + 1}`,
        details: 'x'.repeat(1_000),
        dependencies: at > 0 ? [at] : [],
        subtasks: [{ id: 1, title: 'S', details: 'y'.repeat(1_000) }],
      })),
    },
  });
  const texts = stored(large);
  const tasksRead = (read: ReadonlySet<string>) => [...read].filter((field) => field.startsWith('task:'));
  const textOf = (names: Iterable<string>) =>
    [...names].reduce((sum, field) => sum + (texts.get(field)?.length ?? 0), 0);

  it('shows a task by reading it and no other', () => {
    const { read, rounds } = evaluate(
      texts,
      (found) => getOneTask(found, { projectRoot: 'p', id: '500' }).title,
    );
    expect(tasksRead(read)).toEqual(['task:500:master']);
    expect([...read].filter((field) => field.startsWith('index:'))).toEqual(['index:7:master']);
    expect(rounds).toBe(2);
  });

  it('finds the next task without the texts of the others', () => {
    const { read } = evaluate(texts, (found) => needWhole(nextTask(found, { projectRoot: 'p' })));
    expect(tasksRead(read)).toEqual(['task:1:master']);
    expect(textOf(read)).toBeLessThan(textOf(texts.keys()) / 20);
  });

  it('lists a page by reading no more than a call may', () => {
    const { end, read } = evaluate(texts, (found) => {
      const page = getTasks(found, { projectRoot: 'p', after: '300' });
      needWhole(page);
      return page;
    });
    if (!('value' in end)) throw end.code;
    const shown = end.value.tasks.map(({ id }) => id);
    expect(shown[0]).toBe(301);
    expect(end.value.nextAfter).toBe(shown.at(-1));
    expect(end.value.stats.total).toBe(1_000);
    expect(tasksRead(read)).toEqual(expect.arrayContaining(shown.map((id) => `task:${id}:master`)));
    expect(textOf(tasksRead(read))).toBeLessThan(300_000);
  });

  it.each<[ProjectCommand, string[]]>([
    [{ command: 'set_status', id: '7', status: 'done' }, ['task:7:master']],
    [{ command: 'add_dependency', id: '9', dependsOn: '3' }, ['task:9:master']],
    [{ command: 'remove_tasks', id: '20.1' }, ['task:20:master']],
    [{ command: 'add_tag', name: 'other', copyFrom: 'master' }, []],
    [{ command: 'rename_tag', oldName: 'master', newName: 'main' }, []],
    [{ command: 'use_tag', name: 'master' }, []],
  ])('is changed by reading what %j touches', (command, touched) => {
    const { end, read } = evaluate(texts, (found, fields) => {
      const { project: after, outcome } = applyCommand(found, command, NOW);
      needWhole(outcome);
      return changedProjectFields(found, after, fields);
    });
    if (!('value' in end)) throw end.code;
    expect(tasksRead(read)).toEqual(touched);
    expect(end.value.set.map(([field]) => field).filter((field) => field.startsWith('task:'))).toEqual(
      touched,
    );
  });

  it.each([
    ['no other task', []],
    ['those that it depends on', [7, '9.1']],
  ])('gets a task more by reading %s', (_what, dependencies) => {
    const { end, read } = evaluate(texts, (found, fields) => {
      const task = { title: 'One more', description: '' };
      const command: ProjectCommand = {
        command: 'add_task',
        tag: 'master',
        task,
        dependencies,
        suggested: [],
      };
      const { project: after, outcome } = applyCommand(found, command, NOW);
      needWhole(outcome);
      return changedProjectFields(found, after, fields);
    });
    if (!('value' in end)) throw end.code;
    const beside = [...read].filter((field) => /^(task|index):/.test(field));
    // A field of the index is written with the entries of its neighbours.
    expect(beside.sort()).toEqual([
      ...(dependencies.length > 0 ? ['index:0:master'] : []),
      'index:15:master',
    ]);
    expect(end.value.set.map(([field]) => field)).toContain('task:1001:master');
  });

  it('never lets a task grow beyond a field, and lets one that is larger shrink', () => {
    const details = 'z'.repeat(99_000);
    const parts = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: at + 1, title: 'S', details }));
    const import_ = (count: number) =>
      project({ master: { tasks: [{ id: 1, title: 'T', subtasks: parts(count) }] } });
    expect(() => stored(import_(11))).toThrow(/1048576 are allowed/);
    const tooLarge = import_(11);
    const smaller = applyCommand(tooLarge, { command: 'remove_tasks', id: '1.1' }, NOW).project;
    expect(() => changedProjectFields(tooLarge, smaller)).not.toThrow();
    const larger: ProjectCommand = { command: 'set_status', id: '1.1', status: 'in-progress' };
    expect(() => changedProjectFields(tooLarge, applyCommand(tooLarge, larger, NOW).project)).toThrow(
      /limit|allowed/,
    );
  });
});
