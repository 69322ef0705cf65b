import { describe, expect, it } from 'vitest';
import { applyCommand } from '../project/index.ts';
import { TEST_NOW, objectAnswer } from '../testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  sentPromptText,
} from '../testing/run-operation-in-memory.ts';
import { addTaskOperation } from './program.ts';

const before = () => projectWithTasks([{ id: 1 }, { id: 7, subtasks: [{ id: 2 }] }]);
const ANSWER = { title: 'Worked out', description: 'Why', dependencies: [1, 99], priority: 'urgent' };
const run = (input: object, project = before(), answer: unknown = ANSWER) =>
  runOperationInMemory(addTaskOperation, { ...input }, { before: project, answers: [objectAnswer(answer)] });

describe('add_task version 1', () => {
  it('reads, asks, commits; by hand it reads and commits: its golden transcripts', () => {
    expect(run({ prompt: 'A search.' }).transcript).toEqual(['0 read', '1 llm', '2 commit']);
    expect(run({ title: 'T', description: 'D' }).transcript).toEqual(['0 read', '1 commit']);
  });

  it('adds what the caller wrote, without any LLM', () => {
    const { task, end } = run({
      title: 'T',
      description: 'D',
      details: 'How',
      dependencies: '1, 7.2',
      priority: 'HIGH',
    });
    expect(task(8)).toEqual({
      id: 8,
      title: 'T',
      description: 'D',
      details: 'How',
      testStrategy: '',
      status: 'pending',
      dependencies: [1, '7.2'],
      priority: 'high',
      subtasks: [],
    });
    expect(end).toMatchObject({ result: { id: 8, tag: 'master' } });
  });

  it('takes what the LLM worked out, less what does not exist', () => {
    const { task, end } = run({ prompt: 'A search.' });
    expect(task(8)).toMatchObject({
      title: 'Worked out',
      dependencies: [1],
      priority: 'critical',
    });
    expect(end).toMatchObject({ result: { dependenciesIgnored: ['8 → 99'] } });
  });

  it('lets what the caller wrote stand beside a prompt', () => {
    const { task } = run({ prompt: 'x', title: 'Mine', priority: 'low', dependencies: 7 });
    expect(task(8)).toMatchObject({ title: 'Mine', priority: 'low', dependencies: [7, 1] });
  });

  it('gives the id at the commit: what came in meanwhile keeps its own', () => {
    const { task, end } = runOperationInMemory(
      addTaskOperation,
      { prompt: 'x' },
      {
        before: before(),
        answers: (_call, projects) => {
          const other = {
            command: 'add_task' as const,
            tag: 'master',
            task: { title: 'Other', description: '' },
            dependencies: [],
            suggested: [],
          };
          projects.set('default', applyCommand(projects.get('default'), other, TEST_NOW).project);
          return objectAnswer({ ...ANSWER, dependencies: [8] });
        },
      },
    );
    expect(task(8)?.title).toBe('Other');
    expect(end).toMatchObject({ result: { id: 9 } });
    // The LLM never saw task 8, so that its 8 means nothing.
    expect(task(9)?.dependencies).toEqual([]);
  });

  it('starts a project and a tag', () => {
    const { tasks } = runOperationInMemory(addTaskOperation, { title: 'T', description: 'D', tag: 'v2' }, {});
    expect(tasks('v2')).toHaveLength(1);
  });

  it.each([
    ['unknown task', { dependencies: '1,42' }, 'project_task_not_found'],
    ['word', { dependencies: 'the first' }, 'invalid_arguments'],
  ])('refuses a dependency on an %s, and adds nothing', (_what, input, code) => {
    const { end, tasks, calls } = run({ title: 'T', description: 'D', ...input });
    expect(end).toMatchObject({ status: 'failed', error: { code } });
    expect(tasks()).toHaveLength(2);
    expect(calls).toEqual([]);
  });

  it.each([{}, { title: 'T' }, { description: 'D' }, { prompt: '' }])(
    'needs a prompt, or title and description: %j',
    (input) => {
      expect(addTaskOperation.input.safeParse(input).success).toBe(false);
    },
  );

  it('shows the latest tasks by id and title only', () => {
    const said = sentPromptText(run({ prompt: 'x' }).calls[0]);
    expect(said).toContain('{"id":7,"title":"Task 7","status":"pending"}');
    expect(said).not.toContain('What it is');
  });
});
