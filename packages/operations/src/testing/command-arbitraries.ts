import fc from 'fast-check';
import { type ProjectCommand, STATUSES } from '../project/index.ts';

/** Random input for property tests. Tag names and extra fields are as hostile as the model allows. */

const tagName = fc.oneof(
  { weight: 4, arbitrary: fc.constant('master') },
  { weight: 2, arbitrary: fc.constant('feature') },
  { weight: 3, arbitrary: fc.constantFrom('7', '__proto__', 'a.b-c_d', 'Überblick') },
);

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

const startNext = fc.record(
  {
    command: fc.constant('start_next' as const),
    tag: tagName,
    restartAfterMinutes: fc.integer({ min: 0, max: 1 }),
  },
  { requiredKeys: ['command'] },
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
export const tasksFileArbitrary = fc
  .uniqueArray(fc.tuple(tagName, fileTag), { selector: ([name]) => name, minLength: 1, maxLength: 3 })
  .map((tags) => Object.fromEntries(tags));

const importFile = fc.record({ command: fc.constant('import' as const), file: tasksFileArbitrary });

/** What changes the structure. Ids are few, so that they meet. */
const place = fc.constantFrom('1', '2', '3', '1.1', '1.2', '2.1', '3.1', '3.3', '5', '7');
const places = fc.oneof(
  place,
  fc.tuple(place, place).map((pair) => pair.join(',')),
);
const optionalTag = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: tagName },
);
const small = fc.integer({ min: 1, max: 5 });

const subtaskDraft = fc.record(
  {
    id: small,
    title: fc.string({ minLength: 1, maxLength: 8 }).map((text) => `s${text}.`),
    description: fc.string({ maxLength: 8 }),
    dependencies: fc.array(fc.oneof(small, fc.constantFrom('1.1', '2.1', '3.2', '9.9')), { maxLength: 3 }),
  },
  { requiredKeys: ['id', 'title', 'description'] },
);

const subtaskChange = fc.record(
  {
    id: small,
    title: fc.constantFrom('Part 1', 'Part 2', 'Another', 'New part'),
    details: fc.string({ maxLength: 8 }),
    dependencies: fc.array(fc.oneof(small, fc.constantFrom('1.1', '2.2')), { maxLength: 3 }),
    status: fc.constantFrom(...STATUSES),
  },
  { requiredKeys: ['id'] },
);

const taskChange = fc.record(
  {
    id: fc.integer({ min: 1, max: 8 }),
    title: fc.constant('Changed'),
    dependencies: fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom('1.1', '2.1', '9.9')), {
      maxLength: 4,
    }),
    subtasks: fc.array(subtaskChange, { maxLength: 4 }),
  },
  { requiredKeys: ['id'] },
);

const analyses = fc.array(
  fc.record({
    taskId: fc.integer({ min: 1, max: 9 }),
    taskTitle: fc.constant('As asked'),
    complexityScore: fc.integer({ min: 1, max: 10 }),
    recommendedSubtasks: small,
    expansionPrompt: fc.constant(''),
    reasoning: fc.constant(''),
  }),
  { maxLength: 3 },
);

/** What the operations commit: done subtasks must come through all of these untouched. */
export const operationCommandArbitrary: fc.Arbitrary<ProjectCommand> = fc.oneof(
  { weight: 2, arbitrary: addTasks.filter(({ mode }) => mode !== 'replace') },
  fc.record({
    command: fc.constant('add_task' as const),
    tag: tagName,
    task: fc.record({ title: fc.constant('One more'), description: fc.constant('') }),
    dependencies: fc.array(fc.oneof(small, fc.constant('1.1')), { maxLength: 2 }),
    suggested: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 3 }),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      command: fc.constant('add_subtasks' as const),
      id: small,
      mode: fc.constantFrom('append' as const, 'replace_pending' as const),
      subtasks: fc.array(subtaskDraft, { minLength: 1, maxLength: 5 }),
      tag: optionalTag,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      command: fc.constant('update_tasks' as const),
      updates: fc.array(taskChange, { maxLength: 5 }),
      tag: optionalTag,
    }),
  },
  fc.record({
    command: fc.constant('append_info' as const),
    id: place,
    text: fc.string({ minLength: 1, maxLength: 10 }),
    tag: optionalTag,
  }),
  fc.record({
    command: fc.constant('merge_report' as const),
    tag: tagName,
    threshold: fc.constant(5),
    research: fc.boolean(),
    projectRoot: fc.constant('p'),
    analyses,
  }),
) as fc.Arbitrary<ProjectCommand>;

/** What people change by hand. */
const handCommand = fc.oneof(
  fc.record({ command: fc.constant('remove_tasks'), id: places, tag: optionalTag }),
  fc.record({
    command: fc.constant('remove_subtasks'),
    id: places,
    convert: fc.boolean(),
    tag: optionalTag,
  }),
  fc.record({
    command: fc.constant('clear_subtasks'),
    id: fc.option(places, { nil: undefined }),
    tag: optionalTag,
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      command: fc.constant('move_tasks'),
      from: place,
      to: fc.constantFrom('1.2', '1.3', '2', '3.2', '3.5', '5.1', '6', '8'),
      tag: optionalTag,
    }),
  },
  fc.record({
    command: fc.constant('move_between_tags'),
    from: places,
    fromTag: tagName,
    toTag: tagName,
    dependencies: fc.constantFrom('refuse', 'take_along', 'drop'),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      command: fc.constantFrom('add_dependency', 'remove_dependency'),
      id: places,
      dependsOn: places,
      tag: optionalTag,
    }),
  },
  fc.record({ command: fc.constant('fix_dependencies'), tag: optionalTag }),
  {
    weight: 2,
    arbitrary: fc.record({
      command: fc.constant('add_subtask'),
      id: small,
      subtask: fc.oneof(
        fc.record({ taskId: small }),
        fc.record({
          title: fc.constant('By hand'),
          description: fc.constant(''),
          details: fc.constant(''),
          testStrategy: fc.constant(''),
          status: fc.constant('pending'),
          dependencies: fc.constantFrom('', '1', '1.1', '2,3'),
        }),
      ),
      tag: optionalTag,
    }),
  },
  fc.record({
    command: fc.constant('add_tag'),
    name: tagName,
    copyFrom: fc.oneof(fc.constant(undefined), fc.constant(true), tagName),
  }),
  fc.record({ command: fc.constant('rename_tag'), oldName: tagName, newName: tagName }),
  fc.record({ command: fc.constant('delete_tag'), name: tagName }),
  fc.record({ command: fc.constant('use_tag'), name: tagName }),
  fc.record({
    command: fc.constant('initialize'),
    about: fc.record({ name: fc.constantFrom('A', 'B') }, { requiredKeys: [] }),
  }),
  fc.record({
    command: fc.constant('set_rules'),
    rules: fc.constantFrom([], ['Be kind']),
    append: fc.boolean(),
  }),
  fc.record({
    command: fc.constant('connect_files'),
    files: fc.array(fc.record({ name: fc.constantFrom('a.md', '7', '__proto__'), text: fc.string() }), {
      maxLength: 2,
    }),
    remove: fc.constantFrom([], ['a.md'], ['7']),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      command: fc.constant('attach'),
      id: place,
      blocks: fc.constantFrom([], [{ type: 'resource_link', uri: 'https://a.example', name: 'a' }]),
      remove: fc.constantFrom([], [1]),
      tag: optionalTag,
    }),
  },
) as fc.Arbitrary<ProjectCommand>;

const sequence = fc.record({
  command: fc.constant('sequence' as const),
  commands: fc.array(fc.oneof(operationCommandArbitrary, handCommand), { minLength: 1, maxLength: 3 }),
});

export const commandArbitrary = fc.oneof(
  { weight: 4, arbitrary: addTasks },
  { weight: 3, arbitrary: setStatus },
  { weight: 1, arbitrary: startNext },
  { weight: 2, arbitrary: importFile },
  { weight: 8, arbitrary: operationCommandArbitrary },
  { weight: 10, arbitrary: handCommand },
  { weight: 3, arbitrary: sequence },
) as fc.Arbitrary<ProjectCommand>;
