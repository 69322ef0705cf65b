import { describe, expect, it } from 'vitest';
import { applyCommand } from '../project/index.ts';
import { TEST_NOW, objectAnswer } from '../testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  sentPromptText,
} from '../testing/run-operation-in-memory.ts';
import { expandAllOperation } from './program.ts';

const many = (count: number, more: object = {}) =>
  projectWithTasks(Array.from({ length: count }, (_, at) => ({ id: at + 1, ...more })));
const entry = (id: unknown, count = 1) => ({
  id,
  subtasks: Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    title: `Part ${id}.${at}`,
    description: 'y',
  })),
});
const entries = (...ids: unknown[]) => objectAnswer({ expansions: ids.map((id) => entry(id)) });
/** The ids that a request asks about. */
const askedIds = (call: Parameters<typeof sentPromptText>[0]) =>
  (/for these ids: ([\d, ]+)/.exec(sentPromptText(call))?.[1] ?? '').split(', ').map(Number);

describe('expand_all with perRequest', () => {
  it('asks once for several tasks and commits each: its golden transcript', () => {
    const { transcript, calls, tasks, end } = runOperationInMemory(
      expandAllOperation,
      { perRequest: 2 },
      { before: many(3), answers: (call) => entries(...askedIds(call)) },
    );
    expect(transcript).toEqual([
      '0 read',
      '1.0.0 read',
      '1.1.0 read',
      '1.0.1 llm',
      '1.1.1 llm',
      '1.0.2 commit',
      '1.1.2 commit',
      '1.0.3 commit',
    ]);
    expect(calls.map(askedIds)).toEqual([[1, 2], [3]]);
    expect(tasks().map(({ subtasks }) => subtasks.length)).toEqual([1, 1, 1]);
    expect(end).toMatchObject({
      result: { expandedCount: 3, failedCount: 0, expanded: [{ id: 1 }, { id: 2 }, { id: 3 }] },
    });
  });

  it('keeps what an answer has, and asks for what it leaves out, alone, until it has all', () => {
    const { calls, tasks, end } = runOperationInMemory(
      expandAllOperation,
      { perRequest: 4 },
      { before: many(4), answers: [entries(2), entries(4, '1'), objectAnswer([entry(3, 2)])] },
    );
    expect(calls.map(askedIds)).toEqual([[1, 2, 3, 4], [1, 3, 4], [3]]);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    expect(tasks().map(({ subtasks }) => subtasks.length)).toEqual([1, 1, 2, 1]);
    expect(end).toMatchObject({
      result: { expanded: [{ id: 1 }, { id: 2 }, { id: 3, subtasksAdded: 2 }, { id: 4 }] },
    });
  });

  it.each([
    ['a task that was not asked about', entries(1, 9), 'must be one of the tasks to split: 1, 2'],
    ['a task twice', entries(1, 1), 'one entry for each task'],
    ['no task', objectAnswer({ expansions: [] }), 'an entry for each task'],
    ['the form of one task', objectAnswer({ subtasks: entry(1).subtasks }), 'expansions'],
    [
      'a task without a subtask',
      objectAnswer({ expansions: [entry(1), entry(2, 0)] }),
      'at least one subtask',
    ],
  ])('asks again for an answer with %s, with what is wrong', (_what, wrong, told) => {
    const { calls, end } = runOperationInMemory(
      expandAllOperation,
      { perRequest: 2 },
      { before: many(2), answers: [wrong, entries(1, 2)] },
    );
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(sentPromptText(calls[1])).toContain(told);
    expect(end).toMatchObject({ result: { expandedCount: 2, failedCount: 0 } });
  });

  it('lists what failed, and keeps what succeeded: a task that is gone, and tasks whose answers never fit', () => {
    let asked = 0;
    const { end } = runOperationInMemory(
      expandAllOperation,
      { perRequest: 2, atOnce: 1 },
      {
        before: many(5),
        answers: (call, projects) => {
          if (++asked === 1)
            projects.set(
              'default',
              applyCommand(projects.get('default'), { command: 'remove_tasks', id: '2' }, TEST_NOW).project,
            );
          return askedIds(call).includes(3) ? objectAnswer({ expansions: [] }) : entries(...askedIds(call));
        },
      },
    );
    expect(end).toMatchObject({
      result: {
        expanded: [{ id: 1 }, { id: 5 }],
        failed: [
          { id: 2, code: 'project_task_not_found' },
          { id: 3, code: 'answer_invalid' },
          { id: 4, code: 'answer_invalid' },
        ],
      },
    });
  });

  it('says once what holds for all of its tasks, and each of the others under its own heading', () => {
    const before = many(3);
    const run = (perRequest: number) =>
      runOperationInMemory(
        expandAllOperation,
        { perRequest, prompt: 'Mind the cache.\n\nAnd the clock.' },
        { before, answers: (call) => (perRequest > 1 ? entries(...askedIds(call)) : objectAnswer(entry(1))) },
      ).calls.map(sentPromptText);
    const [together = ''] = run(3);
    for (const once of ['Mind the cache.', 'And the clock.', '# Task 1', '# Task 2', '# Task 3'])
      expect(together.split(once), once).toHaveLength(2);
    for (const id of [1, 2, 3]) expect(together).toContain(`{"id":${id},`);
    expect(together.length).toBeLessThan(run(1).join('').length / 2);
  });

  it('splits tasks that no request holds together by several, one after the other', () => {
    const { calls, end } = runOperationInMemory(
      expandAllOperation,
      { perRequest: 10 },
      {
        before: many(10, {
          details: 'x'.repeat(8_000),
          description: 'y'.repeat(2_000),
          testStrategy: 'z'.repeat(2_000),
        }),
        answers: (call) => entries(...askedIds(call)),
      },
    );
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.flatMap(askedIds)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(Math.max(...calls.map(({ request }) => JSON.stringify(request).length))).toBeLessThan(80_000);
    expect(end).toMatchObject({ result: { expandedCount: 10 } });
  });

  it.each([0, 11, 'two'])('of %s is refused', (perRequest) => {
    expect(expandAllOperation.input.safeParse({ perRequest }).success).toBe(false);
  });
});
