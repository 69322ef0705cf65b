import { expect, it } from 'vitest';
import { applyCommand } from '../project/index.ts';
import { projectWithTasks, runOperationInMemory } from '../testing/run-operation-in-memory.ts';
import { objectAnswer, TEST_NOW } from '../testing/run-program-in-memory.ts';
import { addTaskOperation } from '../add-task/program.ts';
import { parsePrdOperation } from './program.ts';

const metadata = { projectName: 'P', totalTasks: 2, sourceFile: 'prd', generatedAt: '2026-01-01' };
const PLAN = {
  metadata,
  tasks: [
    { id: 1, title: 'New 1', description: 'd', dependencies: [] },
    { id: 2, title: 'New 2', description: 'd', dependencies: [1, 3] },
  ],
};

it('tells what force has replaced, what was begun or done first, and keeps what came meanwhile', () => {
  const result = runOperationInMemory(
    parsePrdOperation,
    { prd: 'A shop', force: true },
    {
      before: projectWithTasks([{ id: 1 }, { id: 2, status: 'done' }]),
      answers(_call, projects) {
        const { project } = applyCommand(
          projects.get('default'),
          {
            command: 'add_task',
            tag: 'master',
            task: { title: 'Came meanwhile', description: 'd' },
            dependencies: [1],
            suggested: [],
          },
          TEST_NOW,
        );
        projects.set('default', project);
        return objectAnswer(PLAN);
      },
    },
  );
  expect(result.end).toMatchObject({
    result: {
      tasksAdded: 2,
      taskIds: [4, 5],
      tasksReplaced: 2,
      replaced: [
        { id: 2, title: 'Task 2', status: 'done' },
        { id: 1, title: 'Task 1', status: 'pending' },
      ],
    },
  });
  expect([3, 4, 5].map((id) => [result.task(id)?.title, result.task(id)?.dependencies])).toEqual([
    ['Came meanwhile', []],
    ['New 1', []],
    ['New 2', [4]],
  ]);
});

it('says of no replaced tasks where force is not given', () => {
  const { end } = runOperationInMemory(
    parsePrdOperation,
    { prd: 'A shop' },
    { answers: [objectAnswer(PLAN)] },
  );
  expect(end).not.toHaveProperty('result.tasksReplaced');
});

it('says that it made a tag of a name that there was not', () => {
  const before = projectWithTasks([{ id: 1 }]);
  const options = { before, answers: [objectAnswer(PLAN)] };
  const made = runOperationInMemory(parsePrdOperation, { prd: 'A shop', tag: 'mastr' }, options);
  expect(made.end).toMatchObject({ result: { created: 'tag', tag: 'mastr' } });
  const task = { title: 'T', description: 'd' };
  const added = runOperationInMemory(addTaskOperation, { ...task, tag: 'mastr' }, { before });
  expect(added.end).toMatchObject({ result: { created: 'tag', tag: 'mastr' } });
  const first = runOperationInMemory(addTaskOperation, task, {});
  expect(first.end).toMatchObject({ result: { created: 'project' } });
  const usual = runOperationInMemory(addTaskOperation, task, { before });
  expect(usual.end).not.toHaveProperty('result.created');
});
