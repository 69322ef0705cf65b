import { z } from 'zod';
import { prioritySchema, statusSchema } from './status-and-priority.ts';
import { dependencySchema, parseTaskRef, taskNumberSchema } from './task-id.ts';

export const TASK_LIMITS = {
  titleLength: 2_000,
  descriptionLength: 20_000,
  detailsLength: 100_000,
  dependencies: 1_000,
  subtasksPerTask: 1_000,
  /** Of all tasks of a tag together: most commands look at each of them. */
  subtasksPerTag: 12_500,
  /** The JSON of a task with its subtasks: a change of the task writes it anew. */
  taskLength: 1_048_576,
  tasksPerTag: 10_000,
  tasksPerProject: 12_500,
  dependenciesPerTag: 50_000,
  tags: 1_000,
  valuesPerFile: 150_000,
} as const;

/** In files `null` means absent; a field with a default gets the default. */
const absent = <T extends z.ZodType>(inner: T) => z.preprocess((value) => value ?? undefined, inner);

const title = z.string().min(1, 'must not be empty').max(TASK_LIMITS.titleLength);
const description = absent(z.string().max(TASK_LIMITS.descriptionLength).default(''));
const longText = absent(z.string().max(TASK_LIMITS.detailsLength).optional());
const dependencies = absent(z.array(dependencySchema).max(TASK_LIMITS.dependencies).default([]));

/**
 * A subtask as claude-task-master has it. Fields that it does not know survive as they are; a dependency that is an
 * integer means a sibling, or a task when there is no such sibling.
 */
export const subtaskSchema = z
  .looseObject({
    id: taskNumberSchema,
    title,
    description,
    status: absent(statusSchema.default('pending')),
    priority: absent(prioritySchema.optional()),
    dependencies,
    details: longText,
    testStrategy: longText,
  })
  .readonly();
export type Subtask = z.infer<typeof subtaskSchema>;

/** A task as claude-task-master has it, spellings evened out and what every task has filled in. */
export const taskSchema = z
  .looseObject({
    id: taskNumberSchema,
    title,
    description,
    status: absent(statusSchema.default('pending')),
    priority: absent(prioritySchema.default('medium')),
    dependencies,
    details: longText,
    testStrategy: longText,
    subtasks: absent(z.array(subtaskSchema).max(TASK_LIMITS.subtasksPerTask).default([])),
  })
  .readonly();
export type Task = z.infer<typeof taskSchema>;

/** Longer than any date that `start_next_task` writes: files may have another field of the name. */
const MAX_DATE_LENGTH = 40;

/** When `start_next_task` set an item in progress, as ISO 8601; undefined where it did not. */
export function startedAtOf(item: Readonly<Record<string, unknown>>): string | undefined {
  const { startedAt } = item;
  return typeof startedAt === 'string' && startedAt.length <= MAX_DATE_LENGTH ? startedAt : undefined;
}

const IDS = Symbol('the ids of the tasks of a list');

/** Notes the ids of a list's tasks with it, so that none of thousands is looked at for its own. */
export function withTaskIds(tasks: Task[], ids: readonly number[]): Task[] {
  return Object.defineProperty(tasks, IDS, { value: ids });
}

/** The ids of tasks, in their order. */
export function taskIdsOf(tasks: readonly Task[]): readonly number[] {
  return (tasks as { readonly [IDS]?: readonly number[] })[IDS] ?? tasks.map(({ id }) => id);
}

/** The task with this id; none but it is looked at where the ids were noted. */
export function findTask(tasks: readonly Task[], id: number): Task | undefined {
  const ids = (tasks as { readonly [IDS]?: readonly number[] })[IDS];
  return ids === undefined ? tasks.find((task) => task.id === id) : tasks[ids.indexOf(id)];
}

/** The task ("5") or subtask ("5.2") with this outside id. */
export function findTaskOrSubtask(tasks: readonly Task[], id: string): Task | Subtask | undefined {
  const ref = parseTaskRef(id);
  const task = ref && findTask(tasks, ref.task);
  return ref?.subtask === undefined ? task : task?.subtasks.find((one) => one.id === ref.subtask);
}

/** To build a map of thousands costs as much as so many looks through their ids. */
const FEW_LOOKUPS = 32;

/** Finds tasks by their ids, about so many times. */
export function taskFinder(tasks: readonly Task[], lookups: number): (id: number) => Task | undefined {
  if (lookups <= FEW_LOOKUPS) return (id) => findTask(tasks, id);
  const byId = new Map<number, Task | undefined>();
  for (const [at, id] of taskIdsOf(tasks).entries()) byId.set(id, tasks[at]);
  return (id) => byId.get(id);
}

/** The list with a task behind its others. */
export function appendTask(tasks: readonly Task[], task: Task): readonly Task[] {
  return withTaskIds([...tasks, task], [...taskIdsOf(tasks), task.id]);
}

/** What two lists have between the tasks that both begin and end with: mostly few of thousands. */
export function differingTasks(
  before: readonly Task[],
  after: readonly Task[],
): { before: readonly Task[]; after: readonly Task[] } {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && before[first] === after[first]) first++;
  let last = 0;
  while (last < shorter - first && before[before.length - 1 - last] === after[after.length - 1 - last])
    last++;
  return {
    before: before.slice(first, before.length - last),
    after: after.slice(first, after.length - last),
  };
}
