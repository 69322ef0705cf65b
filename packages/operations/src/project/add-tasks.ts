import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { knownIds, ringsOf } from './graph.ts';
import { MAX_NEW_TASKS, type NewTask, newTask } from './new-task.ts';
import { newProject, newTag, nextId, type Project, tagName, tagNotEmpty, withTag } from './project.ts';
import { withReport } from './report.ts';
import type { Dependency } from './task-id.ts';
import { type Task, TASK_LIMITS } from './task.ts';

/** Puts an LLM's tasks into a tag; `replace` takes the tag's own out first. */
export const addTasksCommand = z.strictObject({
  command: z.literal('add_tasks'),
  tag: tagName,
  mode: z.enum(['refuse_if_not_empty', 'append', 'replace']),
  tasks: z.array(newTask).min(1).max(MAX_NEW_TASKS),
  /**
   * The tag's next free id when the LLM was asked. A dependency at or above it cannot mean a task of the tag, since
   * the LLM saw none there: what stands there by now came from another call.
   */
  seenBelow: z.int().min(1).optional(),
});
export type AddTasks = z.infer<typeof addTasksCommand>;

export interface AddedTasks {
  readonly tag: string;
  readonly taskIds: readonly number[];
  readonly tasks: readonly Task[];
}

/**
 * The project with the tasks added. They are numbered on from the tag's highest id, by their position and not by
 * their ids, so that neither two concurrent calls nor one answer with doubled ids lose a task. See `meaningOf` for
 * what dependencies become.
 *
 * @throws BatonError `tag_not_empty`, `limit_size`.
 */
export function addTasks(
  project: Project | undefined,
  command: AddTasks,
  now: string,
): { project: Project; added: AddedTasks } {
  const { tag: name, mode } = command;
  const tag = project?.tags.get(name) ?? newTag(name, now);
  if (mode === 'refuse_if_not_empty' && tag.tasks.length > 0) throw tagNotEmpty(name, tag.tasks.length);
  const kept = mode === 'replace' ? [] : tag.tasks;
  if (kept.length + command.tasks.length > TASK_LIMITS.tasksPerTag) throw tooMany(name, kept.length);

  const tasks = numbered(command.tasks, kept, command.seenBelow ?? Number.POSITIVE_INFINITY);
  const changed = {
    ...tag,
    tasks: [...kept, ...tasks],
    metadata: { ...tag.metadata, updated: now },
  };
  const next = withTag(project ?? newProject(name), name, changed);
  return {
    // The numbers begin anew: what was known of the tasks that had them is not about these.
    project: mode === 'replace' ? withReport(next, name, undefined) : next,
    added: { tag: name, taskIds: tasks.map(({ id }) => id), tasks },
  };
}

function numbered(given: readonly NewTask[], kept: readonly Task[], seenBelow: number): Task[] {
  const first = nextId(kept);
  const known = knownIds(kept);
  const seen = (dependency: Dependency) =>
    Number.parseInt(String(dependency), 10) < seenBelow && known.has(String(dependency));
  const carriers = carriersOf(given);
  const tasks = given.map((task, position): Task => {
    const own = first + position;
    const meant = new Set<Dependency>();
    for (const dependency of task.dependencies ?? []) {
      const other = meaningOf(dependency, position, carriers);
      if (other !== undefined) meant.add(first + other);
      else if (seen(dependency)) meant.add(dependency);
    }
    meant.delete(own);
    return {
      id: own,
      title: task.title,
      description: task.description,
      details: task.details ?? '',
      testStrategy: task.testStrategy ?? '',
      status: task.status ?? 'pending',
      dependencies: [...meant],
      priority: task.priority ?? 'medium',
      subtasks: [],
    };
  });
  return withoutRings(tasks);
}

/** The positions of the tasks that carry each id, in order. An answer of hundreds of tasks is looked through once. */
export function carriersOf(
  given: readonly { readonly id: number }[],
): ReadonlyMap<Dependency, readonly number[]> {
  const carriers = new Map<Dependency, number[]>();
  for (const [position, { id }] of given.entries()) {
    const others = carriers.get(id);
    if (others) others.push(position);
    else carriers.set(id, [position]);
  }
  return carriers;
}

/**
 * The position of the new task that a dependency means, undefined when it means none of them. When several carry
 * that id, it is the nearest before the task that depends; failing that, the nearest after it. What is left is the
 * task itself: a dependency that is then taken out as one on itself, never one on an older task.
 */
export function meaningOf(
  dependency: Dependency,
  position: number,
  carriers: ReadonlyMap<Dependency, readonly number[]>,
): number | undefined {
  const positions = carriers.get(dependency);
  if (positions === undefined) return undefined;
  let low = 0;
  for (let high = positions.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  if (low > 0) return positions[low - 1];
  return positions[0] === position ? (positions[1] ?? position) : positions[0];
}

/**
 * Breaks rings among the new tasks: within a ring, dependencies on later tasks go and those on earlier ones stay.
 * The same answer loses the same ones, whatever its order; dependencies outside of rings are not touched.
 */
export function withoutRings<T extends { readonly id: number; readonly dependencies: readonly Dependency[] }>(
  tasks: readonly T[],
): T[] {
  // A task of the tag never depends on a new one, so that no ring leaves the new tasks.
  const own = new Set(tasks.map(({ id }) => id));
  const among = (other: Dependency): other is number => own.has(other as number);
  const graph = new Map(tasks.map(({ id, dependencies }) => [id, dependencies.filter(among)]));
  const ringOf = new Map<Dependency, readonly number[]>();
  for (const ring of ringsOf(graph)) for (const id of ring) ringOf.set(id, ring);
  return tasks.map((task) => {
    const ring = ringOf.get(task.id);
    if (ring === undefined) return task;
    const stays = (other: Dependency) => ringOf.get(other) !== ring || Number(other) < task.id;
    return { ...task, dependencies: task.dependencies.filter(stays) };
  });
}

function tooMany(tag: string, there: number): BatonError {
  const { tasksPerTag } = TASK_LIMITS;
  return new BatonError(
    'limit_size',
    `Tag '${tag}' holds ${there} tasks and may hold ${tasksPerTag}: use another tag.`,
    { tag, limit: tasksPerTag },
  );
}
