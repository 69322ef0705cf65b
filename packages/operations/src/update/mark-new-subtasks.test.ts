import { describe, expect, it } from 'vitest';
import { applyCommand } from '../project/index.ts';
import { projectWithTasks, runOperationInMemory } from '../testing/run-operation-in-memory.ts';
import { objectAnswer, TEST_NOW } from '../testing/run-program-in-memory.ts';
import { updateTaskOperation } from '../update-task/program.ts';

describe('an answer of update_task', () => {
  it.each([
    ['in other marks and letters', { title: 'part 1.' }],
    ['as done, under another title', { title: 'The first part', status: 'done' }],
  ])('takes a done subtask that is repeated %s for that one', (_how, repeated) => {
    const parts = [
      { id: 1, status: 'done' as const },
      { id: 2, dependencies: [1] },
    ];
    const { task, end } = runOperationInMemory(
      updateTaskOperation,
      { id: 3, prompt: 'x' },
      {
        before: projectWithTasks([{ id: 3, subtasks: parts }]),
        answers: [
          objectAnswer({
            id: 3,
            subtasks: [
              { id: 1, ...repeated },
              { id: 2, dependencies: [1] },
            ],
          }),
        ],
      },
    );
    expect(task(3)?.subtasks).toMatchObject([
      { id: 1, title: 'Part 1', status: 'done' },
      { id: 2, dependencies: [1] },
    ]);
    expect(end).not.toHaveProperty('result.statusesIgnored');
  });

  it('keeps what a subtask waited for, though a new one comes with the number of that', () => {
    const subtasks = [
      { id: 1, status: 'done' as const },
      { id: 2, dependencies: [1] },
    ];
    const { task } = runOperationInMemory(
      updateTaskOperation,
      { id: 3, prompt: 'x' },
      {
        before: projectWithTasks([{ id: 3, subtasks }]),
        answers: [
          objectAnswer({
            id: 3,
            subtasks: [
              { id: 1, title: 'A repair' },
              { id: 2, dependencies: [1] },
              { id: 7, title: 'More', dependencies: [1] },
            ],
          }),
        ],
      },
    );
    expect(task(3)?.subtasks).toMatchObject([
      { id: 1, status: 'done' },
      { id: 2, dependencies: [1] },
      { id: 3, title: 'A repair', status: 'pending' },
      { id: 4, title: 'More', dependencies: [3] },
    ]);
  });

  it('adds a new subtask beside one that came meanwhile with the same number', () => {
    const { task } = runOperationInMemory(
      updateTaskOperation,
      { id: 3, prompt: 'x' },
      {
        before: projectWithTasks([{ id: 3, subtasks: [{ id: 1 }, { id: 2 }] }]),
        answers: (_call, projects) => {
          const text = { title: 'Of another', description: '', details: '', testStrategy: '' };
          const subtask = { ...text, status: 'pending' as const, dependencies: '' };
          const add = { command: 'add_subtask' as const, id: 3, subtask };
          projects.set('default', applyCommand(projects.get('default'), add, TEST_NOW).project);
          return objectAnswer({ id: 3, subtasks: [{ id: 3, title: 'New', status: 'done' }] });
        },
      },
    );
    expect(task(3)?.subtasks.slice(2)).toMatchObject([
      { id: 3, title: 'Of another' },
      { id: 4, title: 'New', status: 'pending' },
    ]);
  });
});
