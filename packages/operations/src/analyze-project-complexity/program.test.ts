import { describe, expect, it } from 'vitest';
import { applyCommand, STATUSES } from '../project/index.ts';
import { TEST_NOW, objectAnswer } from '../testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  sentPromptText,
} from '../testing/run-operation-in-memory.ts';
import { analyzeProjectComplexityOperation } from './program.ts';

const before = () =>
  projectWithTasks([
    { id: 1, status: 'done' },
    { id: 2 },
    { id: 3, status: 'in-progress' },
    { id: 4, status: 'cancelled' },
    { id: 5 },
  ]);
const entry = (taskId: unknown, complexityScore: unknown = 8) => ({
  taskId,
  complexityScore,
  recommendedSubtasks: 4,
  expansionPrompt: 'By screen.',
  reasoning: 'Many parts.',
});
const run = (
  input: object,
  complexityAnalysis: unknown[] = [entry(2), entry(3), entry(5)],
  project = before(),
) =>
  runOperationInMemory(analyzeProjectComplexityOperation, input, {
    before: project,
    answers: [objectAnswer({ complexityAnalysis })],
  });
const report = (result: ReturnType<typeof run>) => result.after?.reports.get('master');

describe('analyze_project_complexity version 1', () => {
  it('reads, asks, commits: its golden transcript', () => {
    expect(run({}).transcript).toEqual(['0 read', '1.0.0 read', '1.0.1 llm', '1.0.2 commit']);
  });

  it.each([
    ['active tasks', {}, '2, 3, 5'],
    ['a range of them', { from: 3, to: 4 }, '3'],
    ['named ones', { ids: '5,2' }, '2, 5'],
  ])('asks about %s', (_what, input, ids) => {
    expect(sentPromptText(run(input).calls[0])).toContain(`for these ids: ${ids}.`);
  });

  it('judges the statuses of claude-task-master, and names those that were named and are not judged', () => {
    const project = projectWithTasks(STATUSES.map((status, at) => ({ id: at + 1, status })));
    const all = run({}, [], project);
    const judged = [1, 2, 7];
    expect(judged.map((id) => STATUSES[id - 1])).toEqual(['pending', 'in-progress', 'blocked']);
    expect(sentPromptText(all.calls[0])).toContain('for these ids: 1, 2, 7.');
    expect(all.end).toMatchObject({ result: { tasksAnalyzed: 0, leftOut: [1, 2, 7] } });
    expect(all.end).not.toHaveProperty('result.skipped');
    const named = run({ ids: '3,4,7' }, [], project);
    expect(sentPromptText(named.calls[0])).toContain('for these ids: 7.');
    const skipped = [
      { id: 3, status: 'review' },
      { id: 4, status: 'done' },
    ];
    expect(named.end).toMatchObject({ result: { leftOut: [7], skipped } });
    const none = run({ ids: '3,4' }, [], project);
    expect(none.calls).toEqual([]);
    expect(none.end).toMatchObject({ status: 'completed', result: { tasksAnalyzed: 0, skipped } });
  });

  it('makes one entry for every task that it asked about, with defaults for those left out, and no other', () => {
    const result = run({}, [entry('2', 9.6), entry(99), entry(2, 1)]);
    expect(report(result)?.complexityAnalysis).toEqual([
      { ...entry(2, 10), taskTitle: 'Task 2' },
      expect.objectContaining({ taskId: 3, complexityScore: 5, recommendedSubtasks: 3, taskTitle: 'Task 3' }),
      expect.objectContaining({ taskId: 5, complexityScore: 5, recommendedSubtasks: 3 }),
    ]);
    expect(result.end).toMatchObject({
      result: { tasksAnalyzed: 1, leftOut: [3, 5], summary: { tasksToExpand: [2] } },
    });
  });

  it('keeps what was known of a task that an answer leaves out', () => {
    const first = run({});
    const second = run({}, [entry(2, 4)], first.after);
    expect(
      report(second)?.complexityAnalysis.map(({ taskId, complexityScore }) => [taskId, complexityScore]),
    ).toEqual([
      [2, 4],
      [3, 8],
      [5, 8],
    ]);
    expect(second.end).toMatchObject({ result: { leftOut: [3, 5] } });
  });

  it('merges into the report that is there', () => {
    const first = run({});
    const second = run({ ids: '5', threshold: 7, research: true }, [entry(5, 2)], first.after);
    expect(
      report(second)?.complexityAnalysis.map(({ taskId, complexityScore }) => [taskId, complexityScore]),
    ).toEqual([
      [2, 8],
      [3, 8],
      [5, 2],
    ]);
    expect(report(second)?.meta).toEqual({
      generatedAt: TEST_NOW,
      tasksAnalyzed: 1,
      totalTasks: 5,
      analysisCount: 3,
      thresholdScore: 7,
      projectName: 'default',
      usedResearch: true,
    });
    expect(second.calls[0]?.role).toBe('research');
  });

  it('forgets a task that is removed, and all of them when a plan is replaced', () => {
    const { after } = run({});
    const removed = applyCommand(after, { command: 'remove_tasks', id: '3' }, TEST_NOW).project;
    expect(removed.reports.get('master')?.complexityAnalysis.map(({ taskId }) => taskId)).toEqual([2, 5]);
    const tasks = [{ id: 1, title: 'New', description: '' }];
    const replaced = applyCommand(
      after,
      { command: 'add_tasks', tag: 'master', mode: 'replace', tasks },
      TEST_NOW,
    ).project;
    expect(replaced.reports.get('master')).toBeUndefined();
  });

  it('judges a large plan in parts', () => {
    const large = projectWithTasks(Array.from({ length: 100 }, (_, at) => ({ id: at + 1 })));
    const result = run({}, [], large);
    expect(result.calls.length).toBeGreaterThan(2);
    expect(report(result)?.complexityAnalysis).toHaveLength(100);
  });

  it('has nothing to ask where no task is open', () => {
    const result = run({}, [], projectWithTasks([{ id: 1, status: 'done' }]));
    expect(result.calls).toEqual([]);
    expect(result.end).toMatchObject({ status: 'completed', result: { tasksAnalyzed: 0 } });
  });

  it.each([
    [{ ids: '2,77' }, 'project_task_not_found'],
    [{ ids: '2.1' }, 'invalid_arguments'],
    [{ from: 5, to: 2 }, 'invalid_arguments'],
    [{ tag: 'none' }, 'tag_not_found'],
  ])('refuses %j before anybody is asked', (input, code) => {
    const result = run(input);
    expect(result.end).toMatchObject({ status: 'failed', error: { code } });
    expect(result.calls).toEqual([]);
  });
});
