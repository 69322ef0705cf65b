import type { AgentAnswer } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { toolOperations } from './tool-operations/tool-operations.ts';
import { applyCommand } from './project/index.ts';
import { TEST_NOW, objectAnswer } from './testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  textAnswer,
  sentPromptText,
} from './testing/run-operation-in-memory.ts';
import { nextTask } from './views/index.ts';

/** What claude-task-master and its agent_llm get wrong, each point by name, right here. */
const of = (name: string) => toolOperations.get(name)!;

describe('unlike in the sources', () => {
  it('two add_tasks at once never get the same id: it is given at the commit', () => {
    const { task } = runOperationInMemory(
      of('add_task'),
      { prompt: 'Mine' },
      {
        before: projectWithTasks([{ id: 1 }]),
        answers: (_call, projects) => {
          const other = {
            tag: 'master',
            task: { title: 'Theirs', description: '' },
            dependencies: [],
            suggested: [],
          };
          const { project } = applyCommand(
            projects.get('default'),
            { command: 'add_task', ...other },
            TEST_NOW,
          );
          projects.set('default', project);
          return objectAnswer({ title: 'Mine', description: 'd' });
        },
      },
    );
    expect([task(2)?.title, task(3)?.title]).toEqual(['Theirs', 'Mine']);
  });

  it('append is not ignored on the agent’s path', () => {
    const { task, calls } = runOperationInMemory(
      of('update_task'),
      { id: 1, prompt: 'x', append: true },
      {
        before: projectWithTasks([{ id: 1, details: 'Before.' }]),
        answers: [textAnswer('Noted.')],
      },
    );
    expect(calls).toHaveLength(1);
    expect(task(1)?.details).toMatch(/^Before\.\n<info added on/);
  });

  const changing = [...toolOperations.values()].filter(({ hints }) => !hints.readOnlyHint);

  it.each(changing.map(({ name }) => name))('tag is not ignored on the agent’s path of %s', (name) => {
    const two = applyCommand(
      projectWithTasks([{ id: 1, subtasks: [{ id: 1 }] }]),
      { command: 'add_tag', name: 'v2', copyFrom: true },
      TEST_NOW,
    ).project;
    const all = {
      prd: 'P',
      numTasks: 1,
      append: true,
      id: name === 'update_subtask' ? '1.1' : 1,
      from: 1,
      prompt: 'x',
      force: true,
      query: 'What?',
      saveTo: '1',
    };
    const known = Object.keys((of(name).input as unknown as { shape: object }).shape ?? {});
    const input = Object.fromEntries(Object.entries(all).filter(([field]) => known.includes(field)));
    const answer: AgentAnswer = ['update_subtask', 'update_task', 'research'].includes(name)
      ? textAnswer(name === 'update_task' ? '{"id":1,"title":"Changed"}' : 'Noted.')
      : objectAnswer({
          title: 'Changed',
          description: 'd',
          tasks: [{ id: 1, title: 'Changed', description: 'd' }],
          subtasks: [{ id: 1, title: 'Changed', description: 'd' }],
          complexityAnalysis: [{ taskId: 1, complexityScore: 9 }],
        });
    const { after, end } = runOperationInMemory(
      of(name),
      { ...input, tag: 'v2' },
      { before: two, answers: [answer] },
    );
    expect(end, JSON.stringify(end)).toMatchObject({ status: 'completed', result: { tag: 'v2' } });
    expect(after?.tags.get('master')).toEqual(two.tags.get('master'));
    expect([after?.tags.get('v2')?.tasks, after?.reports.size]).not.toEqual([two.tags.get('v2')?.tasks, 0]);
  });

  it('subtasks on colliding ids are not dropped', () => {
    const part = { id: 1, title: 'P', description: 'd' };
    const { task } = runOperationInMemory(
      of('expand_task'),
      { id: 1 },
      {
        before: projectWithTasks([{ id: 1, subtasks: [{ id: 1 }] }]),
        answers: [objectAnswer({ subtasks: [part, part] })],
      },
    );
    expect(task(1)?.subtasks.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('an error of the agent is told in its own words, never as [object Object]', () => {
    const errorDetails = { message: 'Quota used up', type: 'quota', more: { in: 'detail' } };
    const { end } = runOperationInMemory(
      of('add_task'),
      { prompt: 'x' },
      { answers: [{ status: 'error', errorDetails }] },
    );
    expect(JSON.stringify(end)).toContain('Quota used up');
    expect(JSON.stringify(end)).not.toContain('[object Object]');
    expect(end).toMatchObject({ error: { code: 'agent_error', errorDetails } });
  });

  it('dependencies on existing tasks survive an append, and the plan is numbered on from the highest id', () => {
    const { task } = runOperationInMemory(
      of('parse_prd'),
      { prd: 'P', append: true },
      {
        before: projectWithTasks([{ id: 4 }]),
        answers: [objectAnswer({ tasks: [{ id: 5, title: 'T', description: 'd', dependencies: [4, 77] }] })],
      },
    );
    expect(task(5)).toMatchObject({ dependencies: [4], status: 'pending', priority: 'medium' });
  });

  it('what the analysis leaves out has an entry all the same', () => {
    const { after } = runOperationInMemory(
      of('analyze_project_complexity'),
      {},
      {
        before: projectWithTasks([{ id: 1 }, { id: 2 }]),
        answers: [objectAnswer({ complexityAnalysis: [] })],
      },
    );
    const entries = after?.reports.get('master')?.complexityAnalysis;
    expect(entries).toMatchObject([
      { taskId: 1, complexityScore: 5, recommendedSubtasks: 3 },
      { taskId: 2, complexityScore: 5, recommendedSubtasks: 3 },
    ]);
  });

  it('the LLM’s wording of a status is mapped, not dropped', () => {
    const { task } = runOperationInMemory(
      of('update_task'),
      { id: 1, prompt: 'Set the status.' },
      {
        before: projectWithTasks([{ id: 1 }]),
        answers: [objectAnswer({ id: 1, status: 'In Progress', statusQuote: 'Set the status.' })],
      },
    );
    expect(task(1)?.status).toBe('in-progress');
  });

  it('a dependency that was cancelled is not taken for done', () => {
    const project = projectWithTasks([
      { id: 1, status: 'cancelled' },
      { id: 2, dependencies: [1] },
    ]);
    expect(nextTask(project, { projectRoot: 'p' }).task).toBeNull();
  });

  it('a prompt is kept apart from the data: the request of expand_all is that of expand_task', () => {
    const before = projectWithTasks([{ id: 1 }]);
    const asked = (name: string, input: object) =>
      sentPromptText(runOperationInMemory(of(name), input, { before, answers: [textAnswer('no')] }).calls[0]);
    expect(asked('expand_all', {})).toBe(asked('expand_task', { id: 1 }));
  });
});
