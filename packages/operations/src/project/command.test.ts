import { BatonError } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commandArbitrary,
  operationCommandArbitrary,
  tasksFileArbitrary,
} from '../testing/command-arbitraries.ts';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import { applyCommand, type ProjectCommand } from './command.ts';
import { parseTasksFile } from './formats/tasks-file.ts';
import { toTasksFile, projectFromFields, changedProjectFields } from '../testing/whole-project.ts';
import { findInvariantViolations } from '../testing/project-invariants.ts';
import { newProject, type Project } from './model/project.ts';
import type { ChangedFields } from './formats/changed-fields.ts';

const NOW = '2026-03-01T12:00:00.000Z';
fc.configureGlobal({ seed: randomSeed });

/** Applies what is not refused; a refusal must be one with a name. */
function apply(project: Project | undefined, next: ProjectCommand): Project | undefined {
  try {
    return applyCommand(project, next, NOW).project;
  } catch (refusal) {
    expect(refusal).toBeInstanceOf(BatonError);
    return project;
  }
}

function stored(project: Project): Map<string, string> {
  return new Map(changedProjectFields(undefined, project).set);
}

/** As COMMIT does. */
function applyTo(fields: Map<string, string>, { set, copy, delete: gone }: ChangedFields): void {
  const copied = copy.map(([from, to]) => [to, fields.get(from)!] as const);
  for (const [field, value] of [...copied, ...set]) fields.set(field, value);
  for (const field of gone) fields.delete(field);
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

// Generous, since a busy machine must not look like a broken invariant.
const UNHURRIED = { timeout: 60_000 };

const OF_OPERATIONS: ReadonlySet<string> = new Set([
  'add_tasks',
  'add_task',
  'add_subtasks',
  'update_tasks',
  'append_info',
  'merge_report',
]);

describe('any sequence of commands', UNHURRIED, () => {
  it('keeps the invariants after every one', () => {
    fc.assert(
      fc.property(tasksFileArbitrary, fc.array(commandArbitrary, { maxLength: 14 }), (file, commands) => {
        let project: Project | undefined = apply(undefined, { command: 'import', file });
        const problems = commands.flatMap((next) => {
          project = apply(project, next);
          return project ? findInvariantViolations(project) : [];
        });
        expect(problems).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves a project that its own file gives back, dependency by dependency', () => {
    fc.assert(
      fc.property(tasksFileArbitrary, fc.array(commandArbitrary, { maxLength: 12 }), (file, commands) => {
        let project: Project | undefined = apply(undefined, { command: 'import', file });
        for (const next of commands) project = apply(project, next);
        if (project === undefined) return;
        const exported = plain(toTasksFile(project));
        const again = applyCommand(project, { command: 'import', file: exported }, NOW);
        expect(again.outcome['repairs']).toEqual([]);
        expect(plain(toTasksFile(again.project))).toEqual(exported);
      }),
      { numRuns: 300 },
    );
  });

  it('never touches a subtask that is done, whatever an operation commits', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        tasksFileArbitrary,
        fc.array(fc.oneof(commandArbitrary, operationCommandArbitrary), { maxLength: 12 }),
        (file, commands) => {
          let project: Project | undefined = apply(undefined, { command: 'import', file });
          for (const next of commands) {
            const before = project;
            project = apply(before, next);
            if (!OF_OPERATIONS.has(next.command) || ('mode' in next && next.command === 'add_tasks'))
              continue;
            for (const [name, { tasks }] of before?.tags ?? []) {
              for (const task of tasks) {
                const after = project?.tags.get(name)?.tasks.find(({ id }) => id === task.id);
                for (const subtask of task.subtasks.filter(({ status }) => status === 'done')) {
                  compared++;
                  const still = after?.subtasks.find(({ id }) => id === subtask.id);
                  // What it waited for may have been replaced; the rest is as it was.
                  expect({ ...still, dependencies: [] }).toEqual({ ...subtask, dependencies: [] });
                }
              }
            }
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(100);
  });

  it('leaves the project as its record gives it back, field by changed field', () => {
    fc.assert(
      fc.property(fc.array(commandArbitrary, { maxLength: 8 }), (commands) => {
        let project: Project | undefined;
        const fields = new Map<string, string>();
        for (const next of commands) {
          const before = project;
          project = apply(before, next);
          if (project === undefined) continue;
          const changed = changedProjectFields(before, project);
          applyTo(fields, changed);
          expect(fields).toEqual(stored(project));
          const read = projectFromFields(fields);
          expect(plain(toTasksFile(read))).toEqual(plain(toTasksFile(project)));
          project = read;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('writes a task whose file had a field of the name of uids before there were any', () => {
    const file = { master: { tasks: [{ id: 1, title: 'T', subtasks: [{ id: 1, title: 'S' }] }] } };
    const fields = stored(applyCommand(undefined, { command: 'import', file }, NOW).project);
    const text = fields.get('task:1:master') ?? '';
    const before = text.replaceAll(/"_uid":"[^"]*"/g, '"_uid":5');
    expect(before).not.toBe(text);
    const old = projectFromFields(new Map(fields).set('task:1:master', before));
    const { project } = applyCommand(
      old,
      { command: 'set_status', id: '1', status: 'done' } as ProjectCommand,
      NOW,
    );
    const [, written = ''] =
      changedProjectFields(old, project).set.find(([field]) => field === 'task:1:master') ?? [];
    expect(JSON.parse(written)).toMatchObject({ _uid: 'stamp.1', subtasks: [{ _uid: 'stamp.1.1' }] });
  });

  it('never changes the project that it was applied to', () => {
    fc.assert(
      fc.property(tasksFileArbitrary, commandArbitrary, (file, next) => {
        const before = applyCommand(undefined, { command: 'import', file }, NOW).project;
        const copy = stored(before);
        apply(before, next);
        expect(stored(before)).toEqual(copy);
      }),
    );
  });

  it('is the same whether a command comes as an object or as the JSON that a journal holds', () => {
    fc.assert(
      fc.property(commandArbitrary, (next) => {
        expect(stored(apply(undefined, plain(next) as ProjectCommand) ?? empty)).toEqual(
          stored(apply(undefined, next) ?? empty),
        );
      }),
    );
  });
});

const empty = newProject('master');

describe('import', UNHURRIED, () => {
  it('gives back the very file that came in', () => {
    fc.assert(
      fc.property(tasksFileArbitrary, (file) => {
        const { project } = applyCommand(undefined, { command: 'import', file }, NOW);
        // JSON has no -0.
        expect(toTasksFile(project)).toEqual(JSON.parse(JSON.stringify(file)));
      }),
    );
  });

  it('stays on the current tag if the file has it, and goes to master or the first one otherwise', () => {
    const first = applyCommand(
      undefined,
      { command: 'import', file: { a: { tasks: [] }, master: { tasks: [] } } },
      NOW,
    );
    expect(first.outcome).toMatchObject({ currentTag: 'master', taskCounts: { a: 0, master: 0 } });
    const other = applyCommand(first.project, { command: 'import', file: { b: { tasks: [] } } }, NOW);
    expect(other.project.currentTag).toBe('b');
  });
});

describe('changedProjectFields', () => {
  it('names only what one status changes, however many tasks there are', () => {
    const tasks = Array.from({ length: 50 }, (_, index) => ({
      id: index + 1,
      title: `T${index}`,
      subtasks: [],
    }));
    const before = applyCommand(undefined, { command: 'import', file: { master: { tasks } } }, NOW).project;
    const later = '2026-03-02T12:00:00.000Z';
    const { project } = applyCommand(before, { command: 'set_status', id: '7', status: 'done' }, later);
    expect(changedProjectFields(before, project).set.map(([field]) => field)).toEqual([
      'updated:master',
      'task:7:master',
      'index:0:master',
    ]);
    expect(changedProjectFields(before, project).delete).toEqual([]);
    expect(changedProjectFields(project, project)).toEqual({ set: [], copy: [], delete: [] });
  });

  it('deletes the fields of tasks and tags that are gone', () => {
    const file = { master: { tasks: [{ id: 1, title: 'A' }] }, old: { tasks: [{ id: 1, title: 'B' }] } };
    const before = applyCommand(undefined, { command: 'import', file }, NOW).project;
    const after = applyCommand(before, { command: 'import', file: { master: { tasks: [] } } }, NOW).project;
    expect(changedProjectFields(before, after).delete).toEqual([
      'task:1:master',
      'index:0:master',
      'tag:old',
      'updated:old',
      'task:1:old',
      'index:0:old',
    ]);
  });

  it('ignores fields of kinds that it does not know', () => {
    const { project } = applyCommand(undefined, { command: 'import', file: { master: { tasks: [] } } }, NOW);
    expect(projectFromFields(stored(project).set('later:x', '"later"'))).toEqual(project);
  });
});

it('reads a file of ten thousand tasks in a chain without overflowing', UNHURRIED, () => {
  const tasks = Array.from({ length: 10_000 }, (_, index) => ({
    id: index + 1,
    title: `T${index}`,
    dependencies: index > 0 ? [index] : [],
  }));
  expect(parseTasksFile({ master: { tasks } }, NOW).tags.get('master')?.tasks).toHaveLength(10_000);
});
