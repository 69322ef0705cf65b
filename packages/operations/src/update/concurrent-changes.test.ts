import { describe, expect, it } from 'vitest';
import { applyCommand, type Project, type ProjectCommand } from '../project/index.ts';
import { objectAnswer, TEST_NOW } from '../testing/run-program-in-memory.ts';
import { projectWithTasks, runOperationInMemory } from '../testing/run-operation-in-memory.ts';
import { updateTaskOperation } from '../update-task/program.ts';
import { updateOperation } from './program.ts';

const LONG = 'x'.repeat(30_000);
const before = () =>
  projectWithTasks([
    { id: 1 },
    { id: 2 },
    { id: 3, details: 'As planned.', priority: 'low', dependencies: [1], subtasks: [{ id: 1 }, { id: 2 }] },
    { id: 4, details: LONG, dependencies: [3] },
  ]);

/** Revises task `id` while `meanwhile` is done by others. */
function revise(id: number, answer: object, meanwhile: readonly ProjectCommand[] = []) {
  return runOperationInMemory(
    updateTaskOperation,
    { id, prompt: 'Use another database.' },
    {
      before: before(),
      answers(_call, projects) {
        const changed = meanwhile.reduce<Project | undefined>(
          (project, command) => applyCommand(project, command, TEST_NOW).project,
          projects.get('default'),
        );
        if (changed) projects.set('default', changed);
        return objectAnswer(answer);
      },
    },
  );
}

const change = (updates: object[]) => ({ command: 'update_tasks', updates }) as ProjectCommand;
/** What an LLM gives that was shown task 3 and changes its description. */
const WHOLE = {
  id: 3,
  title: 'Task 3',
  description: 'On SQLite',
  details: 'As planned.',
  testStrategy: '',
  priority: 'low',
  dependencies: [1],
  subtasks: [
    { id: 1, title: 'Part 1', description: '', details: '', dependencies: [] },
    { id: 2, title: 'Part 2', dependencies: [1] },
  ],
};

describe('an answer that repeats what it was shown', () => {
  it('undoes nothing that others have changed meanwhile', () => {
    const { task, end } = revise(3, WHOLE, [
      { command: 'add_dependency', id: '3', dependsOn: '2' },
      change([
        { id: 3, details: 'Noted by others.', testStrategy: 'Theirs.', priority: 'high', title: 'Renamed' },
      ]),
      change([{ id: 3, subtasks: [{ id: 1, details: 'Theirs too.' }] }]),
    ]);
    expect(end).toMatchObject({ result: { updated: true } });
    expect(task(3)).toMatchObject({
      title: 'Renamed',
      description: 'On SQLite',
      details: 'Noted by others.',
      testStrategy: 'Theirs.',
      priority: 'high',
      dependencies: [1, 2],
    });
    expect(task(3)?.subtasks.map(({ details, dependencies }) => [details, dependencies])).toEqual([
      ['Theirs too.', []],
      [undefined, [1]],
    ]);
  });

  it('brings no dependency back that others took out, and takes out what it leaves out', () => {
    const removed = revise(3, WHOLE, [{ command: 'remove_dependency', id: '3', dependsOn: '1' }]);
    expect(removed.task(3)?.dependencies).toEqual([]);
    const replaced = revise(3, { id: 3, dependencies: [] }, [
      { command: 'add_dependency', id: '3', dependsOn: '2' },
    ]);
    expect(replaced.task(3)?.dependencies).toEqual([2]);
  });

  it('makes no subtask again that others removed', () => {
    const { task } = revise(3, WHOLE, [{ command: 'remove_subtasks', id: '3.1', convert: false }]);
    expect(task(3)?.subtasks.map(({ id }) => id)).toEqual([2]);
  });
});

describe('what is not taken of an answer is told', () => {
  it('names a text of which the request showed only the beginning, unless it is given back as it was', () => {
    const replaced = revise(4, { id: 4, details: 'Short now.', title: 'Changed' });
    expect(replaced.end).toMatchObject({
      result: { updated: true, textsIgnored: [{ id: '4', field: 'details' }] },
    });
    expect(replaced.task(4)).toMatchObject({ title: 'Changed', details: LONG });
    const repeated = revise(4, { id: 4, details: `${LONG.slice(0, 24_000)}…` });
    expect(repeated.end).not.toHaveProperty('result.textsIgnored');
  });

  it('names dependencies on nothing and in circles', () => {
    const { task, end } = revise(3, { id: 3, dependencies: [1, 99, 4] });
    expect(end).toMatchObject({ result: { dependenciesIgnored: ['3 → 99', '3 → 4'] } });
    expect(task(3)?.dependencies).toEqual([1]);
  });

  it('names the tasks that the answer of update left out or gave as they were', () => {
    const { end } = runOperationInMemory(
      updateOperation,
      { from: 1, prompt: 'Use another database.' },
      {
        before: before(),
        answers: [
          objectAnswer({
            tasks: [
              { id: 2, title: 'Changed' },
              { id: 3, details: 'As planned.' },
            ],
          }),
        ],
      },
    );
    expect(end).toMatchObject({ result: { taskIds: [2], unchanged: [1, 3, 4] } });
  });
});
