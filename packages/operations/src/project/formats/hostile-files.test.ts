import { describe, expect, it } from 'vitest';
import { toTasksFile } from '../../testing/whole-project.ts';
import { applyCommand } from '../command.ts';
import { newProject } from '../model/project.ts';
import { MAX_ID } from '../model/task-id.ts';
import { parseTasksFile } from './tasks-file.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const read = (file: unknown) => parseTasksFile(file, NOW);
const tasksOf = (tasks: unknown[]) => read({ master: { tasks } }).tags.get('master')?.tasks ?? [];
const stored = (tasks: unknown[]) =>
  applyCommand(newProject('master'), { command: 'import', file: { master: { tasks } } }, NOW).project;

describe('ids up to the highest that there may be', () => {
  it.each<[string, (number | undefined)[], number[]]>([
    ['one below it', [MAX_ID - 1, undefined, undefined], [MAX_ID - 1, 1, 2]],
    ['the highest before one below it', [MAX_ID, MAX_ID - 1, undefined], [MAX_ID, MAX_ID - 1, 1]],
    ['numbers between that others have', [MAX_ID, undefined, 1, 2, undefined], [MAX_ID, 3, 1, 2, 4]],
    ['repeated', [MAX_ID, MAX_ID], [MAX_ID, 1]],
  ])('%s: tasks and subtasks without one get what is free', (_claim, given, expected) => {
    const items = given.map((id) => ({ title: 'T', ...(id === undefined ? {} : { id }) }));
    expect(tasksOf(items).map(({ id }) => id)).toEqual(expected);
    expect(tasksOf([{ id: 1, title: 'T', subtasks: items }])[0]?.subtasks.map(({ id }) => id)).toEqual(
      expected,
    );
  });

  it('no task and no subtask is added above it', () => {
    const full = stored([{ id: MAX_ID, title: 'T', subtasks: [{ id: MAX_ID, title: 'P' }] }]);
    const refusal = expect.objectContaining({ code: 'limit_size', details: { limit: 'id', most: MAX_ID } });
    const task = { title: 'New', description: 'D' };
    const add = { command: 'add_task', tag: 'master', task, dependencies: [], suggested: [] } as const;
    expect(() => applyCommand(full, add, NOW)).toThrow(refusal);
    const subtask = { ...task, details: '', testStrategy: '', status: 'pending', dependencies: '' } as const;
    expect(() => applyCommand(full, { command: 'add_subtask', id: MAX_ID, subtask }, NOW)).toThrow(refusal);
  });
});

it('thousands of tags with one beginning get names of their own', () => {
  const file = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`${'x'.repeat(60)} ${at}`, { tasks: [] }]),
  );
  expect(read(file).tags.size).toBe(900);
});

it('a file of too many tags is refused before they are named, with their number', () => {
  const file = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`! ${at}`, { tasks: [] }]));
  expect(() => read({ ...file, tasks: [] })).toThrow(/1,?002/);
});

describe('what was imported is exported as what can be imported', () => {
  it('a title is cut between characters', () => {
    const title = `${'x'.repeat(1_999)}😀yyy`;
    const project = stored([{ id: 1, title, status: `${'s'.repeat(78)}😀` }]);
    const text = JSON.stringify([
      toTasksFile(project),
      read({ master: { tasks: [{ id: 1, title }] } }).repairs,
    ]);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain(String.raw`\ud83d"`);
    expect(project.tags.get('master')?.tasks[0]?.title).toBe('x'.repeat(1_999));
  });

  it.each(['x', [1, 2], 7])('metadata of a tag that is %j is a repair', (metadata) => {
    const { tags, repairs } = read({ master: { tasks: [], metadata } });
    expect(tags.get('master')?.metadata).toMatchObject({ metadata });
    expect(repairs).toEqual([
      { place: 'master.metadata', problem: expect.stringContaining('under metadata.metadata') },
    ]);
  });

  it('a field that has the name of a uid is kept elsewhere', () => {
    const items = [{ id: 1, title: 'T', _uid: 'mine', subtasks: [{ id: 1, title: 'P', _uid: [1] }] }];
    const { tags, repairs } = read({ master: { tasks: items } });
    expect(tags.get('master')?.tasks).toMatchObject([
      { metadata: { _uid: 'mine' }, subtasks: [{ metadata: { _uid: [1] } }] },
    ]);
    expect(repairs.map(({ place }) => place)).toEqual([
      'master.tasks.0.subtasks.0._uid',
      'master.tasks.0._uid',
    ]);
  });
});

it('a repair shows the beginning of a value of any size, and of any form', () => {
  const values = [
    'x'.repeat(1_000_000),
    Array.from({ length: 10_000 }, () => 'y'.repeat(100)),
    { a: { b: 'z' } },
  ];
  for (const status of values) {
    const [repair] = read({ master: { tasks: [{ id: 1, title: 'T', status }] } }).repairs;
    expect(repair?.problem).toContain(JSON.stringify(status).slice(0, 60));
    expect(repair?.problem.length).toBeLessThan(400);
  }
});
