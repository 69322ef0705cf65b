import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { idTextSchema, projectRoot, tag, taskId } from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';
import { remarkFields, remarksNote, TASK_LIMITS, statusSchema } from '../project/index.ts';
import { subtaskViewSchema, taskViewSchema } from '../views/task-view.ts';
import { defineChangeTool, pluralize, DESTRUCTIVE_HINTS } from './project-tool.ts';

/** Tools that change which tasks and subtasks there are. Nothing is changed when any part of a call is refused. */

const place = { tag, projectRoot };
const inPlace = { projectRoot: z.string(), tag: z.string() };
const named = z.object({ id: z.string(), title: z.string() });

export const addSubtaskTool = defineChangeTool({
  name: 'add_subtask',
  title: 'Add a subtask',
  category: 'task-management',
  changes: ['task'],
  description:
    'Adds a subtask to a task: a new one (`title`), or an existing task that becomes a part of it (`taskId`).',
  // An existing task leaves its place, and the complexity report.
  hints: DESTRUCTIVE_HINTS,
  input: z
    .strictObject({
      id: taskId.describe('The task that gets the subtask'),
      taskId: taskId
        .optional()
        .describe(
          'An existing task to make the subtask of, as it is: what else is said of a subtask is not used then',
        ),
      title: z.string().trim().min(1).max(TASK_LIMITS.titleLength).optional(),
      description: z.string().max(TASK_LIMITS.descriptionLength).optional(),
      details: z.string().max(TASK_LIMITS.detailsLength).optional(),
      testStrategy: z.string().max(TASK_LIMITS.detailsLength).optional(),
      status: statusSchema.optional().describe('By default pending'),
      dependencies: idTextSchema(10_000)
        .optional()
        .describe('Ids that it depends on, separated by commas: tasks ("3") and subtasks ("5.2")'),
      ...place,
    })
    .superRefine((input, context) => {
      if (input.taskId !== undefined || input.title !== undefined) return;
      const message = 'give title, for a new subtask, or taskId, for an existing task';
      context.addIssue({ code: 'custom', path: ['title'], message });
    }),
  result: z.object({ ...inPlace, id: z.string(), subtask: subtaskViewSchema }),
  command: ({ id, taskId, title = '', description, details, testStrategy, status, dependencies, tag }) => ({
    command: 'add_subtask',
    id: Number(id),
    subtask:
      taskId === undefined
        ? {
            title,
            description: description ?? '',
            details: details ?? '',
            testStrategy: testStrategy ?? '',
            status: status ?? 'pending',
            dependencies: dependencies ?? '',
          }
        : { taskId: Number(taskId) },
    tag,
  }),
  summarize: ({ id, subtask }) => `Added subtask ${id}: ${subtask.title}`,
});

export const removeTaskTool = defineChangeTool({
  name: 'remove_task',
  title: 'Remove tasks',
  category: 'task-management',
  changes: ['tasks'],
  description:
    'Removes tasks and subtasks for good, several at once if need be. Nothing waits for them any more.',
  hints: DESTRUCTIVE_HINTS,
  input: z.strictObject({
    id: idTextSchema(10_000).describe('Tasks ("5") and subtasks ("5.2"), separated by commas'),
    ...place,
  }),
  result: z.object({
    ...inPlace,
    removed: z.array(named),
    droppedDependencies: remarkFields.droppedDependencies,
  }),
  command: ({ id, tag }) => ({ command: 'remove_tasks', id, tag }),
  summarize: ({ removed, droppedDependencies }) =>
    `Removed ${removed.map(({ id }) => id).join(', ')}${remarksNote({ droppedDependencies })}.`,
});

export const removeSubtaskTool = defineChangeTool({
  name: 'remove_subtask',
  title: 'Remove a subtask',
  category: 'task-management',
  changes: ['tasks', 'task'],
  description: 'Removes subtasks from their tasks; with `convert` each becomes a task of its own instead.',
  hints: DESTRUCTIVE_HINTS,
  input: z.strictObject({
    id: idTextSchema(10_000).describe('Subtasks ("5.2"), separated by commas'),
    convert: booleanOrText('Make tasks of them instead of deleting them'),
    ...place,
  }),
  result: z.object({
    ...inPlace,
    removed: z.array(named),
    converted: z.array(taskViewSchema),
    droppedDependencies: remarkFields.droppedDependencies,
  }),
  command: ({ id, convert = false, tag }) => ({ command: 'remove_subtasks', id, convert, tag }),
  summarize: ({ removed, converted, droppedDependencies }) =>
    converted.length > 0
      ? `Made ${pluralize(converted.length, 'task')} of ${removed.map(({ id }) => id).join(', ')}.`
      : `Removed ${removed.map(({ id }) => id).join(', ')}${remarksNote({ droppedDependencies })}.`,
});

export const clearSubtasksTool = defineChangeTool({
  name: 'clear_subtasks',
  title: 'Clear subtasks',
  category: 'task-management',
  changes: ['task'],
  description: 'Removes all subtasks of some tasks (`id`), or of every task (`all`, which wins over `id`).',
  hints: { ...DESTRUCTIVE_HINTS, idempotentHint: true },
  input: z
    .strictObject({
      id: idTextSchema(10_000).optional().describe('Tasks, separated by commas'),
      all: booleanOrText('All tasks of the tag'),
      ...place,
    })
    .superRefine(({ id, all }, context) => {
      if (id !== undefined || all === true) return;
      const message = 'give id, or all: true';
      context.addIssue({ code: 'custom', path: ['id'], message });
    }),
  result: z.object({
    ...inPlace,
    cleared: z.array(z.object({ id: z.int(), subtasksRemoved: z.int() })),
    droppedDependencies: remarkFields.droppedDependencies,
  }),
  command: ({ id, all, tag }) => ({
    command: 'clear_subtasks',
    ...(id === undefined || all ? {} : { id }),
    tag,
  }),
  summarize: ({ cleared, droppedDependencies }) =>
    `Cleared the subtasks of ${pluralize(cleared.length, 'task')}${remarksNote({ droppedDependencies })}.`,
});

export const moveTaskTool = defineChangeTool({
  name: 'move_task',
  title: 'Move tasks',
  category: 'task-management',
  changes: ['tasks', 'task'],
  description:
    'Gives tasks and subtasks other ids (`to`), making tasks of subtasks and the other way round (the id of a sibling changes the order only); or takes whole tasks ' +
    'to another tag (`toTag`), where they keep their ids as far as these are free (`moved` says which). Dependencies follow what they mean.',
  hints: DESTRUCTIVE_HINTS,
  input: z
    .strictObject({
      from: idTextSchema(10_000).describe('Tasks ("5") and subtasks ("5.2"), separated by commas'),
      to: idTextSchema(10_000)
        .optional()
        .describe('Within a tag: the new ids, as many as there are in from. Between tags it is not used'),
      fromTag: z.string().min(1).max(64).optional().describe('With toTag: the tag to take them from'),
      toTag: z.string().min(1).max(64).optional().describe('The tag to take them to'),
      withDependencies: booleanOrText('Between tags: take along what they depend on'),
      ignoreDependencies: booleanOrText('Between tags: drop dependencies between what goes and what stays'),
      ...place,
    })
    .superRefine((input, context) => {
      const refuse = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (input.toTag === undefined && input.to === undefined)
        refuse('to', 'give the new ids (to), or another tag (toTag)');
      if (input.withDependencies && input.ignoreDependencies)
        refuse('ignoreDependencies', 'give at most one of withDependencies and ignoreDependencies');
      if (input.toTag !== undefined && (input.fromTag ?? input.tag) === undefined)
        refuse('fromTag', 'name the tag to take them from');
    }),
  result: z.object({
    ...inPlace,
    moved: z.array(z.object({ from: z.string(), to: z.string() })),
    /** Subtasks that took the place of another of their task: the order changed, the ids stay. */
    reordered: z.array(z.object({ id: z.string(), placeOf: z.string() })).optional(),
    droppedDependencies: remarkFields.droppedDependencies,
  }),
  command: ({ from, to, fromTag, toTag, withDependencies, ignoreDependencies, tag }) => {
    if (toTag === undefined) {
      if (to === undefined) throw new BatonError('invalid_arguments', 'to: is missing', { field: 'to' });
      return { command: 'move_tasks', from, to, tag: tag ?? fromTag };
    }
    const dependencies = withDependencies ? 'take_along' : ignoreDependencies ? 'drop' : 'refuse';
    return { command: 'move_between_tags', from, fromTag: fromTag ?? tag ?? '', toTag, dependencies };
  },
  summarize: ({ moved, reordered = [] }) => {
    if (moved.length + reordered.length === 0) return 'All of it is there already.';
    const said = [
      ...(moved.length > 0 ? [`Moved ${moved.map(({ from, to }) => `${from} → ${to}`).join(', ')}.`] : []),
      ...reordered.map(
        ({ id, placeOf }) => `${id} took the place of ${placeOf} in the order and keeps its id.`,
      ),
    ];
    return said.join(' ');
  },
});
