import { describe, expect, it } from 'vitest';
import { applyCommand, type Project } from '../project/index.ts';
import { objectAnswer, TEST_NOW } from '../testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  sentPromptText,
} from '../testing/run-operation-in-memory.ts';
import { scopeDownTaskOperation, scopeUpTaskOperation } from './program.ts';

const STATUSES = ['pending', 'done', 'in-progress', 'review', 'cancelled', 'deferred', 'blocked', 'pending'];
const before = () =>
  projectWithTasks([
    { id: 1, details: 'As it is.', priority: 'low' },
    { id: 2, subtasks: STATUSES.map((status, at) => ({ id: at + 1, status })) },
    { id: 3, status: 'done' },
    { id: 4, dependencies: ['2.1', '2.2'] },
  ]);
const analyzed = (taskId: number): Project =>
  applyCommand(
    before(),
    {
      command: 'merge_report',
      tag: 'master',
      threshold: 7,
      research: true,
      projectRoot: 'default',
      analyses: [1, taskId].map((id) => ({
        taskId: id,
        taskTitle: '',
        complexityScore: 6,
        recommendedSubtasks: 4,
        expansionPrompt: 'By screen.',
        reasoning: 'Many parts.',
      })),
    },
    TEST_NOW,
  ).project;
const part = (id: number, more: object = {}) => ({ id, title: `New ${id}`, description: 'Why', ...more });
const up = (input: object, answer: object, project = before()) =>
  runOperationInMemory(scopeUpTaskOperation, input, { before: project, answers: [objectAnswer(answer)] });
const down = (input: object, answer: object, project = before()) =>
  runOperationInMemory(scopeDownTaskOperation, input, { before: project, answers: [objectAnswer(answer)] });

describe('scope_up_task and scope_down_task version 1', () => {
  it.each([
    ['scope_up_task', up, 'Widen task 1'],
    ['scope_down_task', down, 'Narrow task 1'],
  ])('%s reads, asks once, commits once: its golden transcript', (_name, run, says) => {
    const { transcript, calls, task, end } = run({ id: '1' }, { title: 'Changed', priority: 'high' });
    expect(transcript).toEqual(['0 read', '1.0.0 read', '1.0.1 llm', '1.0.2 commit']);
    expect(sentPromptText(calls[0])).toContain(`${says}; how far: regular.`);
    expect(sentPromptText(calls[0])).toContain('Give no subtasks.');
    expect(task(1)).toMatchObject({ title: 'Changed', details: 'As it is.', priority: 'high' });
    expect(end).toMatchObject({
      result: {
        strength: 'regular',
        updatedTasks: [{ id: 1, title: 'Changed', priority: 'high', subtasksAdded: 0, subtasksReplaced: 0 }],
        failed: [],
      },
    });
  });

  it('shows the beginning of a long title, which the task has whole', () => {
    const title = '長'.repeat(2_000);
    const { task, end } = up({ id: '1' }, { title });
    expect(task(1)?.title).toBe(title);
    expect(end).toMatchObject({ result: { updatedTasks: [{ id: 1, title: '長'.repeat(80) }] } });
  });

  it('puts new subtasks in the place of the pending ones, and keeps all that was begun, done or set aside', () => {
    const { task, end } = up(
      { id: 2, strength: 'Heavy' },
      { subtasks: [part(1, { status: 'done' }), part(2, { dependencies: [1, 7] })] },
    );
    expect(task(2)?.subtasks.map(({ id, title, status }) => `${id} ${title} ${status}`)).toEqual([
      '2 Part 2 done',
      '3 Part 3 in-progress',
      '4 Part 4 review',
      '5 Part 5 cancelled',
      '6 Part 6 deferred',
      '7 Part 7 blocked',
      '8 New 1 pending',
      '9 New 2 pending',
    ]);
    expect(task(2)?.subtasks.at(-1)?.dependencies).toEqual([8, 7]);
    // Nothing waits for what is gone.
    expect(task(4)?.dependencies).toEqual(['2.2']);
    expect(end).toMatchObject({
      result: {
        strength: 'heavy',
        updatedTasks: [{ id: 2, subtasksAdded: 2, subtasksReplaced: 2 }],
        statusesIgnored: [{ id: '2.8', status: 'done', reason: 'new' }],
      },
    });
  });

  it.each([
    ['up', 'light', 3],
    ['up', 'regular', 3],
    ['up', 'heavy', 4],
    ['down', 'light', 1],
    ['down', 'regular', 1],
    ['down', 'heavy', 1],
  ])('scoping %s %s asks for about as many subtasks in the place of two', (direction, strength, count) => {
    const run = direction === 'up' ? up : down;
    const said = sentPromptText(run({ id: '2', strength }, { subtasks: [part(1)] }).calls[0]);
    expect(said).toContain(`how far: ${strength}.`);
    expect(said).toContain(`Give about ${count} ${count === 1 ? 'subtask' : 'subtasks'} in the place`);
    expect(said).toContain('numbered from 8');
  });

  it('asks again for subtasks that are missing', () => {
    const { calls, end } = runOperationInMemory(
      scopeUpTaskOperation,
      { id: '2' },
      { before: before(), answers: [objectAnswer({ title: 'x' }), objectAnswer({ subtasks: [part(1)] })] },
    );
    expect(calls).toHaveLength(2);
    expect(end.status).toBe('completed');
  });

  it('judges the complexity anew where the report knows the task, and leaves the rest of the report', () => {
    const complexity = { complexityScore: 9, recommendedSubtasks: 7, reasoning: 'More of it.' };
    const { after, end, calls } = up({ id: '1' }, { title: 'Wider', complexity }, analyzed(4));
    expect(sentPromptText(calls[0])).toContain('was judged 6 of 10');
    expect(after?.reports.get('master')).toMatchObject({
      meta: { thresholdScore: 7, usedResearch: true, analysisCount: 2 },
      complexityAnalysis: [
        { taskId: 1, taskTitle: 'Wider', complexityScore: 9, recommendedSubtasks: 7 },
        { taskId: 4, complexityScore: 6, reasoning: 'Many parts.' },
      ],
    });
    expect(end).toMatchObject({ result: { updatedTasks: [{ complexity: { before: 6, after: 9 } }] } });
  });

  it('changes several tasks side by side, each once, and lists one that fails', () => {
    const { task, end, calls } = runOperationInMemory(
      scopeDownTaskOperation,
      { id: ' 4, 1,4 ' },
      {
        before: before(),
        answers: (call) =>
          sentPromptText(call).includes('Narrow task 4')
            ? { status: 'error', errorDetails: { message: 'No.', type: 'billing' } }
            : objectAnswer({ title: 'Less' }),
      },
    );
    expect(calls).toHaveLength(2);
    expect([task(1)?.title, task(4)?.title]).toEqual(['Less', 'Task 4']);
    expect(end).toMatchObject({
      status: 'completed',
      result: { updatedTasks: [{ id: 1 }], failed: [{ id: 4, code: 'agent_error' }] },
    });
  });

  it('never replaces a text of which the LLM saw only the beginning', () => {
    const details = 'Long. '.repeat(5_000);
    const { task } = up({ id: '1' }, { title: 'T', details: 'New.' }, projectWithTasks([{ id: 1, details }]));
    expect(task(1)).toMatchObject({ title: 'T', details });
  });

  it.each([
    ['done', { command: 'set_status' as const, id: '2', status: 'done' as const }, 'project_task_done'],
    ['removed', { command: 'remove_tasks' as const, id: '2' }, 'project_task_not_found'],
  ])('changes nothing of a task that was %s meanwhile', (_what, command, code) => {
    const { end, after } = runOperationInMemory(
      scopeUpTaskOperation,
      { id: '2' },
      {
        before: before(),
        answers: (_call, projects) => {
          projects.set('default', applyCommand(projects.get('default'), command, TEST_NOW).project);
          return objectAnswer({ title: 'Never', subtasks: [part(1)] });
        },
      },
    );
    expect(end).toMatchObject({ status: 'failed', error: { code } });
    expect(JSON.stringify([...(after?.tags.values() ?? [])])).not.toMatch(/Never|New 1/);
  });

  it.each([
    [{ id: '3' }, 'project_task_done'],
    [{ id: '1,77' }, 'project_task_not_found'],
    [{ id: '1,2.1' }, 'invalid_arguments'],
    [{ id: 'x' }, 'invalid_arguments'],
    [{ id: Array.from({ length: 51 }, (_, at) => at + 1).join(',') }, 'invalid_arguments'],
    [{ id: '1', tag: 'none' }, 'tag_not_found'],
  ])('refuses %j before anybody is asked', (input, code) => {
    const { end, calls } = up(input, {});
    expect(end).toMatchObject({ status: 'failed', error: { code } });
    expect(calls).toEqual([]);
  });

  it.each([[{}], [{ id: '1', strength: 'extreme' }], [{ id: '1', prompt: ' ' }], [{ id: '1', nonsense: 1 }]])(
    'does not take %j',
    (input) => {
      expect(scopeUpTaskOperation.input.safeParse(input).success).toBe(false);
    },
  );
});
