import { describe, expect, it } from 'vitest';
import { applyCommand, type Project } from '../project/index.ts';
import { TEST_NOW } from '../testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  sentPromptText,
  textAnswer,
} from '../testing/run-operation-in-memory.ts';
import { researchOperation } from './program.ts';

const FOUND = 'Use the kept library.';
const before = () =>
  applyCommand(
    projectWithTasks([
      { id: 1, details: 'Details of one.', subtasks: [{ id: 1, details: 'Details of a part.' }] },
      { id: 2, status: 'done' },
      { id: 3, details: 'Details of three.' },
    ]),
    { command: 'connect_files', files: [{ name: 'src/api.js', text: 'export const api = 1;' }], remove: [] },
    TEST_NOW,
  ).project;
const run = (input: object, project: Project | undefined = before(), ...said: string[]) =>
  runOperationInMemory(
    researchOperation,
    { query: 'Which parser?', ...input },
    { before: project, answers: (said.length > 0 ? said : [FOUND]).map(textAnswer) },
  );

describe('research version 1', () => {
  it('reads, asks the role research for text, and commits where it saves: its golden transcripts', () => {
    const { transcript, calls, end } = run({});
    expect(transcript).toEqual(['0 read', '1 llm']);
    expect(calls[0]).toMatchObject({ role: 'research', serviceType: 'generateText' });
    expect(end).toMatchObject({
      result: { query: 'Which parser?', result: FOUND, detailLevel: 'medium', tag: 'master' },
    });
    expect(end).not.toHaveProperty('result.savedTo');
    expect(run({ saveTo: '3' }).transcript).toEqual(['0 read', '1 llm', '2 commit']);
  });

  it('shows the tasks, subtasks and files that are named, words of the caller, and of others the titles', () => {
    const said = sentPromptText(
      run({ taskIds: '1, 1.1', filePaths: 'src/api.js', customContext: 'We are three.' }).calls[0],
    );
    for (const shown of [
      'Details of one.',
      'Details of a part.',
      'export const api',
      'We are three.',
      'Task 3',
    ])
      expect(said).toContain(shown);
    expect(said).not.toContain('Details of three.');
  });

  it('asks for the detail that is wanted', () => {
    const said = (['low', 'medium', 'high'] as const).map((detailLevel) =>
      sentPromptText(run({ detailLevel }).calls[0]),
    );
    expect(new Set(said).size).toBe(3);
  });

  it('adds the result, dated, to the task or subtask to save to', () => {
    const task = run({ saveTo: 3 });
    expect(task.end).toMatchObject({ result: { savedTo: '3' } });
    expect(task.task(3)?.details).toBe(
      `Details of three.\n<info added on ${TEST_NOW}>\n## Research: Which parser?\n\n${FOUND}\n</info added on ${TEST_NOW}>`,
    );
    const subtask = run({ saveTo: '1.1' });
    expect(subtask.task(1)?.subtasks[0]?.details).toContain(FOUND);
    expect(subtask.task(1)?.details).toBe('Details of one.');
  });

  it('gives back a result that could not be saved, and says why', () => {
    const { end, task } = runOperationInMemory(
      researchOperation,
      { query: 'Q', saveTo: '3' },
      {
        before: before(),
        answers: (_call, projects) => {
          const done = { command: 'set_status' as const, id: '3', status: 'done' as const };
          projects.set('default', applyCommand(projects.get('default'), done, TEST_NOW).project);
          return textAnswer(FOUND);
        },
      },
    );
    expect(end).toMatchObject({
      status: 'completed',
      result: { result: FOUND, saveProblem: { code: 'project_task_done' } },
    });
    expect(task(3)?.details).toBe('Details of three.');
  });

  it('gives back a result for which the details have no room, at once', () => {
    const { end, transcript } = runOperationInMemory(
      researchOperation,
      { query: 'Q', saveTo: '3' },
      {
        before: projectWithTasks([{ id: 3, details: 'x'.repeat(99_000) }]),
        answers: [textAnswer(FOUND.padEnd(2_000, '.'))],
      },
    );
    expect(end).toMatchObject({
      status: 'completed',
      result: { saveProblem: { code: 'limit_size', message: expect.stringContaining('100000 are allowed') } },
    });
    expect(transcript.join()).not.toContain('sleep');
  });

  it('needs no project where nothing of one is named', () => {
    const { end } = runOperationInMemory(researchOperation, { query: 'Q' }, { answers: [textAnswer(FOUND)] });
    expect(end).toMatchObject({ status: 'completed', result: { result: FOUND } });
  });

  it('bounds what it shows of large tasks and files', () => {
    const tasks = Array.from({ length: 50 }, (_, at) => ({
      id: at + 1,
      title: 'T'.repeat(2_000),
      description: 'd'.repeat(20_000),
      details: 'x'.repeat(90_000),
    }));
    const files = [1, 2].map((id) => ({ name: `${id}.md`, text: 'y'.repeat(400_000) }));
    const large = applyCommand(
      projectWithTasks(tasks),
      { command: 'connect_files', files, remove: [] },
      TEST_NOW,
    ).project;
    const taskIds = tasks.map(({ id }) => id).join(',');
    const { calls } = run({ taskIds, filePaths: '1.md,2.md' }, large);
    expect(sentPromptText(calls[0]).length).toBeLessThan(150_000);
  });

  it('asks again for a text that is empty or endless', () => {
    expect(run({}, before(), ' ', 'x'.repeat(50_001), FOUND).calls).toHaveLength(3);
  });

  it.each([
    [{ taskIds: '77' }, 'project_task_not_found'],
    [{ taskIds: 'x' }, 'invalid_arguments'],
    [{ taskIds: Array.from({ length: 51 }, (_, at) => at + 1).join(',') }, 'invalid_arguments'],
    [{ filePaths: 'none.js' }, 'file_not_found'],
    [{ filePaths: Array.from({ length: 21 }, (_, at) => `${at}.js`).join(',') }, 'invalid_arguments'],
    [{ saveTo: '2' }, 'project_task_done'],
    [{ saveTo: '1.9' }, 'project_task_not_found'],
    [{ tag: 'none' }, 'tag_not_found'],
  ])('refuses %j before anybody is asked', (input, code) => {
    const { end, calls } = run(input);
    expect(end).toMatchObject({ status: 'failed', error: { code } });
    expect(calls).toEqual([]);
  });

  it.each([
    [{ query: ' ' }],
    [{ query: 'Q', detailLevel: 'extreme' }],
    [{ query: 'Q', saveTo: '5.x' }],
    [{ query: 'Q', filePaths: 5 }],
  ])('does not take %j', (input) => {
    expect(researchOperation.input.safeParse(input).success).toBe(false);
  });
});
