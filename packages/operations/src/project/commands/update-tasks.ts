import { type AnswerBlocks, attachWhatFits } from '../task-edits/attach.ts';
import { type CommandResult } from '../model/command-result.ts';
import { editTasksInTag } from '../task-edits/edit-tasks-in-tag.ts';
import {
  areTaskAndSubtask,
  buildGraph,
  allItemIds,
  dependencyLinks,
  resolveDependency,
  findCycles,
} from '../dependencies/dependency-graph.ts';
import { rebaseDependencies } from '../dependencies/rebase-dependencies.ts';
import { mergeSubtaskUpdates } from '../task-edits/merge-subtask-updates.ts';
import { isSeenItem, type SeenItems } from '../model/item-uid.ts';
import type { Project } from '../model/project.ts';
import { listRemarks, type Remarks } from '../model/remarks.ts';
import { parseTaskRef } from '../model/task-id.ts';
import { type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';
import { type TaskMetadata, withMetadata } from '../model/task-metadata.ts';
import { type ProjectTaskUpdate } from '../task-edits/task-update.ts';
import { definedFields } from '../../schema/defined-fields.ts';

/** Changes tasks as an LLM says. The statuses are those that the program took; see `RequestedStatuses`. */
interface UpdateTasks extends AnswerBlocks {
  readonly updates: readonly ProjectTaskUpdate[];
  readonly tag?: string | undefined;
  /** Merged into the metadata of each. */
  readonly metadata?: TaskMetadata | undefined;
  readonly seen?: SeenItems | undefined;
  /** Whether the outcome is to hold the tasks as they are then. */
  readonly show?: boolean;
}

/** Why a task was left as it is. */
type Skipped = { readonly id: number; readonly reason: 'gone' | 'done' };

/**
 * The project with the tasks changed. A task that is removed or done by now is skipped and listed in the outcome;
 * subtasks that are done or not mentioned stay. New dependencies that do not exist, on the task itself, or that would
 * close a cycle are ignored, and listed too.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `limit_size`.
 */
export function updateTasks(project: Project | undefined, command: UpdateTasks, now: string): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks) => {
    const updates = new Map(command.updates.map((update) => [update.id, update]));
    const there = new Map(tasks.map((task) => [task.id, task]));
    const skipped = command.updates.flatMap(({ id }): Skipped[] => {
      const task = there.get(id);
      if (task === undefined || !isSeenItem(command.seen, `${id}`, task)) return [{ id, reason: 'gone' }];
      return task.status === 'done' ? [{ id, reason: 'done' }] : [];
    });
    const merged: Remarks[] = [];
    const left = new Set(skipped.map(({ id }) => id));
    const changed = tasks.map((task) => {
      const update = left.has(task.id) ? undefined : updates.get(task.id);
      if (update === undefined) return task;
      return withMetadata(updated(task, update, command.seen, merged), command.metadata);
    });
    const linked = withKnownLinks(tasks, changed);
    const dependenciesIgnored = ignoredLinks(changed, linked);
    const revised = asBefore(tasks, linked);
    const only = command.updates.length === 1 ? command.updates[0]?.id : undefined;
    const next =
      only === undefined || left.has(only)
        ? revised
        : attachWhatFits(revised, { task: only }, command.attachments, now);
    const updatedIds = next.filter((task, at) => task !== tasks[at]).map(({ id }) => id);
    const shown = command.show ? { tasks: next.filter(({ id }) => updates.has(id) && !left.has(id)) } : {};
    return {
      tasks: next,
      outcome: {
        updated: updatedIds,
        skipped,
        ...listRemarks({ dependenciesIgnored }, ...merged),
        ...shown,
      },
    };
  });
}

function updated(
  task: Task,
  { id: _, statusQuote: _quote, subtasks, dependenciesShown, ...update }: ProjectTaskUpdate,
  seen: SeenItems | undefined,
  remarks: Remarks[],
): Task {
  const { dependencies } = update;
  const changed = {
    ...task,
    ...definedFields(update),
    ...(dependencies && {
      dependencies: [...rebaseDependencies(task.dependencies, dependencies, dependenciesShown)],
    }),
  };
  if (subtasks === undefined) return changed;
  const merged = mergeSubtaskUpdates(task, subtasks, seen);
  remarks.push(merged.remarks);
  return { ...changed, subtasks: [...merged.subtasks] };
}

/** The dependencies that `linked` has lost of `given`, as "5 → 3". */
function ignoredLinks(given: readonly Task[], linked: readonly Task[]): string[] {
  const known = allItemIds(given);
  return given.flatMap((task, at) => {
    const now = linked[at];
    if (now === undefined || now === task) return [];
    const lost = (id: string, had: Task | Subtask, has: Task | Subtask | undefined, parent?: number) => {
      if (had === has) return [];
      const kept = new Set(has?.dependencies);
      return [...new Set(had.dependencies)]
        .filter((dependency) => !kept.has(dependency))
        .map((dependency) => `${id} → ${resolveDependency(known, dependency, parent) ?? dependency}`);
    };
    const ofSubtasks = task.subtasks.flatMap((part, index) =>
      lost(`${task.id}.${part.id}`, part, now.subtasks[index], task.id),
    );
    return [...lost(`${task.id}`, task, now), ...ofSubtasks];
  });
}

/** `after` without new dependencies that are unknown, on the item itself, its task or a subtask of it, doubled, or part of a cycle. */
function withKnownLinks(before: readonly Task[], after: readonly Task[]): readonly Task[] {
  const known = allItemIds(after);
  const had = new Set(dependencyLinks(before).map(({ from, to }) => `${from} ${to}`));
  const clean = filterLinks(after, (from, dependency, parent) => {
    const to = resolveDependency(known, dependency, parent);
    return to !== undefined && to !== from && !areTaskAndSubtask(from, to);
  });
  const ringOf = new Map<string, readonly string[]>();
  for (const ring of findCycles(buildGraph(dependencyLinks(clean))))
    for (const id of ring) ringOf.set(id, ring);
  if (ringOf.size === 0) return clean;
  // There was no cycle before, so each cycle has a new dependency.
  return filterLinks(clean, (from, dependency, parent) => {
    const to = resolveDependency(known, dependency, parent) as string;
    return ringOf.get(from) === undefined || ringOf.get(from) !== ringOf.get(to) || had.has(`${from} ${to}`);
  });
}

type Keep = (from: string, dependency: Task['dependencies'][number], parent?: number) => boolean;

function filterLinks(tasks: readonly Task[], keep: Keep): readonly Task[] {
  const filtered = <T extends Task | Subtask>(item: T, from: string): T => {
    const parent = parseTaskRef(from)?.subtask === undefined ? undefined : Number.parseInt(from, 10);
    const dependencies = [...new Set(item.dependencies)]
      .filter((dependency) => keep(from, dependency, parent))
      .slice(0, TASK_LIMITS.dependencies);
    return dependencies.length === item.dependencies.length ? item : { ...item, dependencies };
  };
  return tasks.map((task) => {
    const subtasks = task.subtasks.map((subtask) => filtered(subtask, `${task.id}.${subtask.id}`));
    const same = subtasks.every((subtask, at) => subtask === task.subtasks[at]);
    return filtered(same ? task : { ...task, subtasks }, `${task.id}`);
  });
}

/** Unchanged tasks keep their identity, so that nothing is written for them. */
function asBefore(before: readonly Task[], after: readonly Task[]): readonly Task[] {
  return after.map((task, at) => {
    const was = before[at];
    return was !== undefined && (was === task || JSON.stringify(was) === JSON.stringify(task)) ? was : task;
  });
}
