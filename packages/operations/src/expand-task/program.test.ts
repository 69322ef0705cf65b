import { describe, expect, it } from 'vitest';
import { applyCommand, type Project } from '../project/index.ts';
import { TEST_NOW, objectAnswer } from '../testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  textAnswer,
  sentPromptText,
} from '../testing/run-operation-in-memory.ts';
import { expandAllOperation } from '../expand-all/program.ts';
import { expandTaskOperation } from './program.ts';

const part = (id: number, more: object = {}) => ({ id, title: `New ${id}`, description: 'Why', ...more });
const PARTS = objectAnswer({
  subtasks: [part(1), part(2, { dependencies: [1] }), part(3, { dependencies: [1, 2] })],
});
const run = (input: object, before: Project | undefined, ...answers: Parameters<typeof objectAnswer>[]) =>
  runOperationInMemory(
    expandTaskOperation,
    { id: '1', ...input },
    { before, answers: answers.length > 0 ? answers.map(([one]) => objectAnswer(one)) : [PARTS] },
  );

const one = () => projectWithTasks([{ id: 1 }]);
const analyzed = (recommendedSubtasks: number) =>
  applyCommand(
    projectWithTasks([{ id: 1 }]),
    {
      command: 'merge_report',
      tag: 'master',
      threshold: 5,
      research: false,
      projectRoot: 'default',
      analyses: [
        {
          taskId: 1,
          taskTitle: '',
          complexityScore: 8,
          recommendedSubtasks,
          expansionPrompt: 'Split by screen.',
          reasoning: '',
        },
      ],
    },
    TEST_NOW,
  ).project;

describe('expand_task version 1', () => {
  it('reads, asks, commits: its golden transcript', () => {
    expect(run({}, one()).transcript).toEqual(['0 read', '1 llm', '2 commit']);
  });

  it.each([
    ['num, whatever the report says', { num: 7 }, analyzed(9), 'about 7 subtasks'],
    ['else the report’s recommendation', {}, analyzed(9), 'about 9 subtasks'],
    ['else 3', {}, one(), 'about 3 subtasks'],
    ['else 3, where the report recommends none', {}, analyzed(0), 'about 3 subtasks'],
    ['as many as the LLM likes with 0', { num: 0 }, analyzed(9), 'as many subtasks as'],
  ])('asks for %s', (_claim, input, before, said) => {
    expect(sentPromptText(run(input, before).calls[0])).toContain(said);
  });

  it('tells what the report says of the task, and what the caller says', () => {
    const said = sentPromptText(run({ prompt: 'Mind the cache.' }, analyzed(2)).calls[0]);
    expect(said).toContain('Split by screen.');
    expect(said).toContain('Mind the cache.');
  });

  it('appends, numbered on, dependencies following the numbers', () => {
    const before = projectWithTasks([{ id: 1, subtasks: [{ id: 1 }, { id: 4 }] }]);
    const { task, end } = run({}, before);
    expect(task(1)?.subtasks.map(({ id, dependencies }) => [id, dependencies])).toEqual([
      [1, []],
      [4, []],
      [5, []],
      [6, [5]],
      [7, [5, 6]],
    ]);
    expect(end).toMatchObject({ result: { subtaskIds: ['1.5', '1.6', '1.7'], subtasksAdded: 3 } });
  });

  it('replaces with force, but never what is done, and lets nothing wait for what is gone', () => {
    const before = projectWithTasks([
      { id: 1, subtasks: [{ id: 1, status: 'done' }, { id: 2 }] },
      { id: 2, dependencies: ['1.2', '1.1'] },
    ]);
    const { task, end } = run({ force: true }, before);
    expect(task(1)?.subtasks.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(task(1)?.subtasks[0]).toEqual(before.tags.get('master')?.tasks[0]?.subtasks[0]);
    expect(task(1)?.subtasks[1]?.title).toBe('New 1');
    expect(task(2)?.dependencies).toEqual(['1.1']);
    expect(end).toMatchObject({ result: { subtasksReplaced: 1 } });
  });

  it('begins every subtask pending, and names the statuses that it ignored', () => {
    const parts = [part(1, { status: 'done' }), part(2, { status: 'pending' })];
    const { task, end } = run({}, one(), [{ subtasks: parts }]);
    expect(task(1)?.subtasks.map(({ status }) => status)).toEqual(['pending', 'pending']);
    const statusesIgnored = [{ id: '1.1', status: 'done', reason: 'new' }];
    expect(end).toMatchObject({ result: { statusesIgnored } });
    const all = runOperationInMemory(
      expandAllOperation,
      {},
      { before: one(), answers: [objectAnswer({ subtasks: parts })] },
    );
    expect(all.end).toMatchObject({ result: { statusesIgnored } });
  });

  it('names the dependencies that it ignored, by one task and by many', () => {
    const parts = [part(1, { dependencies: [2, '1'] }), part(2, { dependencies: [1, 7] })];
    const dependenciesIgnored = ['1.1 → 1', '1.2 → 7', '1.1 → 1.2'];
    const { task, end } = run({}, one(), [{ subtasks: parts }]);
    expect(task(1)?.subtasks.map(({ dependencies }) => dependencies)).toEqual([[], [1]]);
    expect(end).toMatchObject({ result: { dependenciesIgnored } });
    const all = runOperationInMemory(
      expandAllOperation,
      {},
      { before: one(), answers: [objectAnswer({ subtasks: parts })] },
    );
    expect(all.end).toMatchObject({ result: { dependenciesIgnored } });
  });

  it('never takes the number of a task that a sibling waits for', () => {
    const before = projectWithTasks([
      { id: 1, subtasks: [{ id: 1, dependencies: [3] }] },
      { id: 2 },
      { id: 3 },
    ]);
    const { task } = run({}, before);
    expect(task(1)?.subtasks.map(({ id }) => id)).toEqual([1, 2, 4, 5]);
    expect(task(1)?.subtasks[0]?.dependencies).toEqual([3]);
  });
});

describe('answers to expand_task', () => {
  it.each([
    ['colliding ids lose no subtask', [part(1), part(1), part(1)], 3],
    ['a circle is broken', [part(1, { dependencies: [2] }), part(2, { dependencies: [1] })], 2],
    ['unknown dependencies are dropped', [part(1, { dependencies: [99, '7.7', 1] })], 1],
    ['statuses in other words are read', [part(1, { status: 'to do' })], 1],
  ])('%s', (_claim, subtasks, count) => {
    const { end, task } = run({}, one(), [{ subtasks }]);
    expect(end.status).toBe('completed');
    expect(task(1)?.subtasks).toHaveLength(count);
  });

  it.each([
    ['a bare list', objectAnswer([part(1)])],
    ['a code fence', textAnswer('```json\n{"subtasks":[{"id":1,"title":"T","description":"d"}]}\n```')],
    [
      'another language',
      objectAnswer({ subtasks: [{ id: 1, title: 'データベースを作る', description: '説明' }] }),
    ],
  ])('are taken as %s', (_form, answer) => {
    expect(
      runOperationInMemory(expandTaskOperation, { id: 1 }, { before: one(), answers: [answer] }).end.status,
    ).toBe('completed');
  });

  it.each([
    ['half a JSON', textAnswer('{"subtasks":[{"id":1,"title":"T'), 'JSON'],
    ['none', objectAnswer({ subtasks: [] }), 'at least one'],
    [
      'ten thousand',
      objectAnswer({ subtasks: Array.from({ length: 10_000 }, (_, at) => part(at + 1)) }),
      '100',
    ],
  ])('are asked for again when they hold %s, with what is wrong', (_what, wrong, told) => {
    const { end, calls } = runOperationInMemory(
      expandTaskOperation,
      { id: 1 },
      { before: one(), answers: [wrong, PARTS] },
    );
    expect(calls).toHaveLength(2);
    expect(sentPromptText(calls[1])).toContain(told);
    expect(end.status).toBe('completed');
  });
});

describe('a task that changes while the LLM is at work', () => {
  const meanwhile = (command: Parameters<typeof applyCommand>[1]) =>
    runOperationInMemory(
      expandTaskOperation,
      { id: '1' },
      {
        before: projectWithTasks([{ id: 1 }, { id: 2 }]),
        answers: (_call, projects) => {
          projects.set('default', applyCommand(projects.get('default'), command, TEST_NOW).project);
          return PARTS;
        },
      },
    );

  it('is reported when it was removed, and nothing else changes', () => {
    const { end, tasks } = meanwhile({ command: 'remove_tasks', id: '1' });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'project_task_not_found', id: '1' } });
    expect(tasks()).toHaveLength(1);
  });

  it('is left alone when it was done', () => {
    const { end, task } = meanwhile({ command: 'set_status', id: '1', status: 'done' });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'project_task_done' } });
    expect(task(1)?.subtasks).toEqual([]);
  });
});

it.each([
  ['an unknown project', {}, undefined, 'project_not_found'],
  ['an unknown task', { id: 9 }, one(), 'project_task_not_found'],
  ['an unknown tag', { tag: 'nope' }, one(), 'tag_not_found'],
  ['a task that is done', {}, projectWithTasks([{ id: 1, status: 'done' }]), 'project_task_done'],
])('%s is refused before anybody is asked', (_what, input, before, code) => {
  const { end, calls } = run(input, before);
  expect(end).toMatchObject({ status: 'failed', error: { code } });
  expect(calls).toEqual([]);
});

it.each([
  { id: '5.2' },
  { id: 'x' },
  { id: 0 },
  { num: -1 },
  { num: 101 },
  { prompt: '  ' },
  { file: 'tasks.json' },
])('arguments that fit nothing are refused: %j', (input) => {
  expect(expandTaskOperation.input.safeParse({ id: 1, ...input }).success).toBe(false);
});
