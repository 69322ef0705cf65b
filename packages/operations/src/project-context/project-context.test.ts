import { estimateTokens, messageText } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { toolOperations } from '../tool-operations/tool-operations.ts';
import { applyCommand, type Project, type Task } from '../project/index.ts';
import { LIBRARY_CALLS, libraryProject } from '../testing/library-project.ts';
import { searchableTasks } from '../testing/searchable-tasks.ts';
import { projectWithTasks, runOperationInMemory, textAnswer } from '../testing/run-operation-in-memory.ts';
import { TEST_NOW } from '../testing/run-program-in-memory.ts';
import { projectSections } from './context-sections.ts';
import { type ContextWish, readProjectContext } from './project-context.ts';
import { findRelatedTasks, MOST_SEARCHED } from './related-tasks.ts';

const userText = (name: string, input: object, before: Project) => {
  const { calls } = runOperationInMemory(toolOperations.get(name)!, input, {
    before,
    answers: [textAnswer(' ')],
  });
  return messageText(calls[0]!.request.messages[1]!);
};

describe('the request of an operation', () => {
  it.each(LIBRARY_CALLS)(
    'of %s tells of the tech stack, the requirements and the rules',
    (_golden, name, input) => {
      const said = userText(name, input, libraryProject());
      expect(said).toContain('Rust, Axum, SQLite');
      expect(said).toContain('works offline for a day');
      expect(said).toContain('Every route has a test.');
    },
  );

  /** parse_prd plans from its document, and update_task and others work on the task itself. */
  const onTasks = LIBRARY_CALLS.filter(([, name]) => name !== 'parse_prd' && name !== 'add_task');
  it.each(onTasks)('of %s tells how the dependencies were done', (_golden, name, input) => {
    const [, needed] = /<needed-tasks>\n([\s\S]*?)\n<\/needed-tasks>/.exec(
      userText(name, input, libraryProject()),
    )!;
    expect(needed).toContain('so that loans can refer to both');
    expect(needed).toContain('one row per copy');
    expect(needed).toContain('the pool lives in src/db.rs');
  });

  it.each(LIBRARY_CALLS)(
    'of %s tells those who can look at the code to look, and to say where',
    (_golden, name, input) => {
      const { calls } = runOperationInMemory(toolOperations.get(name)!, input, {
        before: libraryProject(),
        answers: [textAnswer(' ')],
      });
      const [system] = calls[0]!.request.messages;
      expect(messageText(system!)).toContain('look before you answer');
      expect(messageText(system!)).toContain('name the files and functions that your answer rests on');
    },
  );

  const withResearch = LIBRARY_CALLS.filter(([golden]) => golden !== 'update_task-append');
  it.each(withResearch)('of %s with research asks to search and to cite', (_golden, name, input) => {
    const given = name === 'research' ? input : { ...input, research: true };
    const { calls } = runOperationInMemory(toolOperations.get(name)!, given, {
      before: libraryProject(),
      answers: [textAnswer(' ')],
    });
    const said = messageText(calls[0]!.request.messages[0]!);
    expect(said).toMatch(/search the web/i);
    expect(said).toContain('Cite the address of each source');
  });
});

/** Everything in it is longer than any budget. */
function largeProject(): Project {
  const words = 'The parser keeps what it cannot read. ';
  const tasks = Array.from({ length: 400 }, (_, at) => ({
    id: at + 1,
    title: `Parse ${at + 1}`,
    description: words.repeat(20),
    details: words.repeat(200),
    status: at % 3 === 0 ? 'done' : 'pending',
    dependencies: at === 200 ? Array.from({ length: 30 }, (_none, one) => one + 1) : [],
  }));
  const about = { techStack: words.repeat(300), requirements: words.repeat(500) };
  const commands = [
    {
      command: 'set_rules' as const,
      rules: Array.from({ length: 90 }, (_, at) => `${at}. ${words.repeat(50)}`),
    },
    { command: 'initialize' as const, about },
  ];
  return commands.reduce<Project>(
    (project, command) => applyCommand(project, command, TEST_NOW).project,
    projectWithTasks(tasks),
  );
}

describe('the budget', () => {
  const large = largeProject();
  const wish: ContextWish = {
    tag: 'master',
    about: [201],
    dependencies: large.tags.get('master')!.tasks[200]!.dependencies,
    query: 'Parse what cannot be read',
    plan: 200,
  };
  const read = (promptTokens: number) => readProjectContext(large, wish, { promptTokens });

  it.each([500, 2_000, 8_000, 50_000])(
    'of %i tokens is kept, and what found no room is told',
    (promptTokens) => {
      const { rules = '', plan, context } = read(promptTokens);
      const { omitted, techStack = '', requirements = '', ...lists } = context;
      const items = [...Object.values(lists).flat(), ...plan];
      const spent = [rules, techStack, requirements, ...items.map((item) => JSON.stringify(item))].reduce(
        (sum, text) => sum + estimateTokens(text.replace(/…$/, '')),
        0,
      );
      expect(spent).toBeLessThanOrEqual(promptTokens);
      // It is spent: nothing is left out while there is room for it.
      expect(spent).toBeGreaterThan(promptTokens * 0.8);
      const said = projectSections({ rules, context }, plan).filter(Boolean).join('\n\n');
      expect(said).toContain('For want of room this request leaves out: the end of the rules');
      expect(said).toContain('of the other tasks.');
      expect(omitted!.join(' ')).not.toContain('parser');
      // The fences and sentences around it do not grow with it.
      expect(estimateTokens(said)).toBeLessThan(promptTokens * 1.1 + 500);
    },
  );

  it('goes to what is important first: rules, stack and dependencies before what is like it', () => {
    const { rules, context, plan } = read(500);
    expect(rules!.length).toBeGreaterThan(700);
    expect(context.techStack!.length).toBeGreaterThan(300);
    expect(context.needed!.length).toBeGreaterThan(0);
    const wide = read(50_000);
    expect(wide.context.needed!.length).toBeGreaterThanOrEqual(context.needed!.length);
    expect(JSON.stringify(wide.context.needed![0]).length).toBeGreaterThan(
      JSON.stringify(context.needed![0]).length,
    );
    expect(wide.plan.length).toBeGreaterThan(plan.length);
  });

  it('gives the same for the same project', () => {
    expect(read(8_000)).toEqual(read(8_000));
  });

  it('leaves nothing out of a small project', () => {
    const known = readProjectContext(
      libraryProject(),
      { ...wish, about: [2], dependencies: [1] },
      { promptTokens: 8_000 },
    );
    expect(known.context.omitted).toBeUndefined();
  });
});

describe('the search for similar tasks', () => {
  const tasksOf = (titles: readonly string[]) =>
    projectWithTasks(titles.map((title, at) => ({ id: at + 1, title, description: '' }))).tags.get('master')!
      .tasks;
  const find = (titles: readonly string[], query: string) =>
    findRelatedTasks(tasksOf(titles), query, new Set(), new Set(), 3).tasks.map(({ title }) => title);
  const many = (title: string) => [
    ...Array.from({ length: 149 }, (_, at) => `Draw screen ${at}`),
    title,
    ...Array.from({ length: 149 }, (_, at) => `Measure speed ${at}`),
  ];

  it.each([
    ['its words', 'Reserve a book that is lent', 'A reader reserves books'],
    ['the beginnings of words', 'Authentication of readers', 'auth'],
    ['words that are written alike', 'Authentication of readers', 'authentification'],
    ['Japanese', '貸出を延長する', '本の貸出延長'],
    ['Russian', 'Продлить выдачу книги', 'выдача: продлить'],
  ])('finds one of 299 tasks by %s', (_what, title, query) => {
    expect(find(many(title), query)[0]).toBe(title);
  });

  it.each(['', '!?', 'zzzzz', '\ud800', '.*(a+)+$', 'constructor __proto__'])(
    'finds nothing for %j',
    (query) => {
      expect(find(many('Lend'), query)).toEqual([]);
    },
  );

  it('finds what a kept index finds as a new one does, whatever was added, changed and removed', () => {
    const { tasks } = searchableTasks(40);
    const renamed = { ...tasks[7]!, title: 'Reserve a book that is lent' };
    const versions = [
      tasks.slice(0, 30),
      tasks,
      tasks.with(7, renamed),
      tasks.with(7, renamed).toSpliced(3, 20),
      tasks.slice(0, 1),
    ];
    for (const version of versions)
      for (const query of ['Reserve a lent book', tasks[3]!.title, tasks[35]!.title]) {
        const ids = (of: readonly Task[]) =>
          findRelatedTasks(of, query, new Set(), new Set(), 10).tasks.map(({ id }) => id);
        // A copy of each task is another object: its index is new.
        expect(ids(version)).toEqual(ids(version.map((task) => ({ ...task }))));
      }
  });

  it('reads at most 300 tasks of 10,000, those around the task and the latest', () => {
    const { tasks, titleOf, read } = searchableTasks(10_000);
    findRelatedTasks(tasks, titleOf(42).repeat(100), new Set([5_000]), new Set([5_000]), 5);
    expect(read.size).toBeLessThanOrEqual(MOST_SEARCHED);
    expect(read.has(4_990) && read.has(5_010) && read.has(10_000)).toBe(true);
  });
});
