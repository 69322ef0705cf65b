import { applyCommand, type ProjectCommand, type Project } from '../project/index.ts';
import { TEST_NOW } from './run-program-in-memory.ts';

/** A small project with everything that a request can tell of one: a library that lends books. */
export function libraryProject(): Project {
  const tasks = [
    {
      id: 1,
      title: 'Store books and readers',
      description: 'Tables for books and readers, so that loans can refer to both.',
      status: 'done',
      details:
        'Migrations in migrations/, one row per copy of a book.\n\n<info added on 2026-02-11T09:00:00.000Z>\nSQLite runs in WAL mode; the pool lives in src/db.rs.\n</info added on 2026-02-11T09:00:00.000Z>',
      testStrategy: 'Insert a book twice and see two copies.',
      subtasks: [
        {
          id: 1,
          title: 'Choose the keys',
          description: 'Of books and of copies.',
          status: 'done',
          details:
            'By ISBN.\n\n<info added on 2026-02-10T09:00:00.000Z>\nOld books have no ISBN: copies have numbers of their own.\n</info added on 2026-02-10T09:00:00.000Z>',
        },
      ],
    },
    {
      id: 2,
      title: 'Lend a book to a reader',
      description: 'A reader takes a copy home for four weeks.',
      details: 'POST /loans takes a copy and a card; 409 where the copy is out.',
      testStrategy: 'Lend one copy twice and see 409.',
      dependencies: [1],
      subtasks: [
        {
          id: 1,
          title: 'Check the card',
          description: 'The card is valid.',
          status: 'done',
          details:
            '<info added on 2026-02-12T09:00:00.000Z>\nCards end on 31 December.\n</info added on 2026-02-12T09:00:00.000Z>',
        },
        {
          id: 2,
          title: 'Write the loan',
          description: 'One row per loan, due in four weeks.',
          details: 'INSERT within one transaction.',
          testStrategy: 'Kill the process between both statements.',
          dependencies: [1],
        },
      ],
    },
    {
      id: 3,
      title: 'Remind readers of late loans',
      description: 'A letter a week to every reader with a late loan.',
      details: 'A job each night selects loans that are due.',
      testStrategy: 'Set the clock on by five weeks.',
      dependencies: [2],
    },
    {
      id: 4,
      title: 'Extend a loan of a reader',
      description: 'A reader may keep a copy for four weeks more.',
      details: 'POST /loans/{id}/extend, twice at most.',
      testStrategy: 'Extend three times and see 409.',
      dependencies: [2],
    },
    { id: 5, title: 'Choose a licence', description: 'The board decides.', status: 'done' },
  ];
  const commands: ProjectCommand[] = [
    { command: 'import', file: { master: { tasks } } },
    {
      command: 'initialize',
      about: {
        name: 'Library',
        techStack: 'Rust, Axum, SQLite',
        requirements: 'The desk works offline for a day. No reader ever sees the loans of another.',
      },
    },
    { command: 'set_rules', rules: ['Add no dependency without a reason.', 'Every route has a test.'] },
    {
      command: 'merge_report',
      tag: 'master',
      threshold: 5,
      research: false,
      projectRoot: 'default',
      analyses: [
        {
          taskId: 2,
          taskTitle: 'Lend a book to a reader',
          complexityScore: 6,
          recommendedSubtasks: 2,
          expansionPrompt: 'Split by route and by table.',
          reasoning: 'Two parts must agree on when a copy is out.',
        },
      ],
    },
  ] as ProjectCommand[];
  return commands.reduce<Project | undefined>(
    (project, command) => applyCommand(project, command, TEST_NOW).project,
    undefined,
  ) as Project;
}

/** A call of every operation that has an LLM work on this project. */
export const LIBRARY_CALLS: readonly (readonly [golden: string, operation: string, input: object])[] = [
  ['parse_prd', 'parse_prd', { prd: '# Fines\n\nA reader pays for late loans.', append: true, numTasks: 2 }],
  ['analyze_project_complexity', 'analyze_project_complexity', { ids: '2' }],
  ['expand_task', 'expand_task', { id: 2, prompt: 'Mind leap years.' }],
  ['expand_all', 'expand_all', { force: true, atOnce: 1 }],
  ['update', 'update', { from: 2, prompt: 'Loans last three weeks.' }],
  ['update_task', 'update_task', { id: 2, prompt: 'Loans last three weeks.', research: true }],
  ['update_task-append', 'update_task', { id: 2, prompt: 'Loans last three weeks.', append: true }],
  ['update_subtask', 'update_subtask', { id: '2.2', prompt: 'The row has the desk that lent it.' }],
  ['add_task', 'add_task', { prompt: 'A reader reserves a copy that is out on loan.', dependencies: '2' }],
  ['scope_up_task', 'scope_up_task', { id: 2, prompt: 'Cover lost copies.' }],
  ['scope_down_task', 'scope_down_task', { id: 2 }],
  [
    'research',
    'research',
    { query: 'How do others lock a loan of a copy?', taskIds: '2', detailLevel: 'low' },
  ],
];
