import fc from 'fast-check';
import type { Command } from '../project/index.ts';
import { STATUSES } from '../project/index.ts';

/** Random input for property tests. Tag names and extra fields are as hostile as the model allows. */

const tagName = fc.constantFrom('master', 'feature', '7', '__proto__', 'a.b-c_d', 'Überblick');

const newTask = fc.record(
  {
    id: fc.integer({ min: 1, max: 8 }),
    title: fc.string({ minLength: 1, maxLength: 12 }).map((text) => `t${text}.`),
    description: fc.string({ maxLength: 20 }),
    dependencies: fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom('1.1', '2.1', '99.9')), {
      maxLength: 5,
    }),
    status: fc.constantFrom(...STATUSES),
  },
  { requiredKeys: ['id', 'title', 'description'] },
);

const addTasks = fc.record(
  {
    command: fc.constant('add_tasks' as const),
    tag: tagName,
    mode: fc.constantFrom('refuse_if_not_empty' as const, 'append' as const, 'replace' as const),
    tasks: fc.array(newTask, { minLength: 1, maxLength: 8 }),
    seenBelow: fc.integer({ min: 1, max: 15 }),
  },
  { requiredKeys: ['command', 'tag', 'mode', 'tasks'] },
);

const setStatus = fc.record(
  {
    command: fc.constant('set_status' as const),
    id: fc.constantFrom('1', '2', '3', '1.1', '1,2', '2.1, 3', '40'),
    status: fc.constantFrom(...STATUSES),
    tag: tagName,
  },
  { requiredKeys: ['command', 'id', 'status'] },
);

const extra = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 6 }).map((name) => `x${name}`),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 },
);

const textFields = fc.record(
  { details: fc.string({ maxLength: 20 }), testStrategy: fc.string({ maxLength: 20 }) },
  { requiredKeys: [] },
);

/** A subtask that depends on earlier siblings only. */
const subtask = (index: number) =>
  fc
    .tuple(fc.constantFrom(...STATUSES), extra, textFields, fc.boolean())
    .map(([status, more, texts, depends]) => ({
      id: index + 1,
      title: `Part ${index + 1}`,
      description: '',
      dependencies: depends && index > 0 ? [index] : [],
      status,
      ...texts,
      ...more,
    }));

/** A task of a file, ids in steps with gaps, depending on the one before and on its first part. */
const fileTask = (index: number) =>
  fc
    .tuple(fc.constantFrom(...STATUSES), fc.nat({ max: 3 }), extra, textFields, fc.boolean())
    .chain(([status, parts, more, texts, depends]) =>
      fc.tuple(...Array.from({ length: parts }, (_, part) => subtask(part))).map((subtasks) => ({
        id: index * 2 + 1,
        title: `Task ${index * 2 + 1}`,
        description: 'As it came',
        ...texts,
        status,
        priority: 'high',
        dependencies: depends && index > 0 ? [index * 2 - 1] : [],
        subtasks,
        ...more,
      })),
    );

const fileTag = fc.nat({ max: 5 }).chain((count) =>
  fc.record({
    tasks: fc.tuple(...Array.from({ length: count }, (_, index) => fileTask(index))),
    metadata: extra.map((more) => ({
      created: '2025-01-01T00:00:00.000Z',
      updated: '2025-01-02T00:00:00.000Z',
      description: 'A tag',
      ...more,
    })),
  }),
);

/** A tasks.json that needs no evening out. */
export const tasksFile = fc
  .uniqueArray(fc.tuple(tagName, fileTag), { selector: ([name]) => name, minLength: 1, maxLength: 3 })
  .map((tags) => Object.fromEntries(tags));

const importFile = fc.record({ command: fc.constant('import' as const), file: tasksFile });

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: addTasks },
  { weight: 3, arbitrary: setStatus },
  { weight: 1, arbitrary: importFile },
);
