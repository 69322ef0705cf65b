import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { type CommandResult } from '../model/command-result.ts';
import { editTasksInTag } from './edit-tasks.ts';
import { nextId, type Project, withReport } from '../model/project.ts';
import { requireSubtask, requireTask } from '../model/lookup.ts';
import { renumberReport } from '../model/complexity-report.ts';
import { remapDependencies } from '../dependencies/remap-dependencies.ts';
import { formatTaskRef, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import type { Subtask, Task } from '../model/task.ts';

const ids = z.string().min(1).max(10_000);

/** Takes tasks and subtasks out for good; nothing waits for them any more. */
export const removeTasksCommandSchema = z.strictObject({
  command: z.literal('remove_tasks'),
  id: ids,
  tag: z.string().optional(),
});

/** Takes subtasks out of their tasks; with `convert` each becomes a task of its own. */
export const removeSubtasksCommandSchema = z.strictObject({
  command: z.literal('remove_subtasks'),
  id: ids,
  convert: z.boolean(),
  tag: z.string().optional(),
});

/** Takes all subtasks out of some tasks, or of all of them. */
export const clearSubtasksCommandSchema = z.strictObject({
  command: z.literal('clear_subtasks'),
  /** Undefined: all tasks. */
  id: ids.optional(),
  tag: z.string().optional(),
});

/** @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `invalid_arguments`. */
export function removeTasks(
  project: Project | undefined,
  command: z.infer<typeof removeTasksCommandSchema>,
  now: string,
): CommandResult {
  const applied = editTasksInTag(project, command.tag, now, (tasks, name) => {
    const refs = knownRefs(command.id, tasks, name);
    const whole = new Set(refs.flatMap(({ task, subtask }) => (subtask === undefined ? [task] : [])));
    const left = without(tasks, refs).filter(({ id }) => !whole.has(id));
    const removed = refs.map((ref) => ({ id: formatTaskRef(ref), title: titleOf(tasks, ref) }));
    return { tasks: remapDependencies(tasks, { tasks: left, renamed: new Map() }), outcome: { removed } };
  });
  return dropMissingReportEntries(applied);
}

/** @throws BatonError as `removeTasks`; `invalid_arguments` for the id of a whole task. */
export function removeSubtasks(
  project: Project | undefined,
  command: z.infer<typeof removeSubtasksCommandSchema>,
  now: string,
): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, name) => {
    const refs = knownRefs(command.id, tasks, name);
    for (const { task, subtask } of refs) if (subtask === undefined) throw notASubtask(task);
    const removed = refs.map((ref) => ({ id: formatTaskRef(ref), title: titleOf(tasks, ref) }));
    const left = without(tasks, refs);
    if (!command.convert) {
      return {
        tasks: remapDependencies(tasks, { tasks: left, renamed: new Map() }),
        outcome: { removed, converted: [] },
      };
    }
    const first = nextId(tasks);
    const converted = refs.map((ref, at) => {
      const parent = requireTask({ tasks }, name, ref);
      return convertSubtaskToTask(requireSubtask(parent, name, ref), first + at, parent);
    });
    const renamed = new Map(refs.map((ref, at) => [`${first + at}`, formatTaskRef(ref)]));
    const rewiredTasks = remapDependencies(tasks, { tasks: [...left, ...converted], renamed });
    return { tasks: rewiredTasks, outcome: { removed, converted: rewiredTasks.slice(left.length) } };
  });
}

/** @throws BatonError as `removeTasks`; `invalid_arguments` for the id of a subtask. */
export function clearSubtasks(
  project: Project | undefined,
  command: z.infer<typeof clearSubtasksCommandSchema>,
  now: string,
): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, name) => {
    const refs = command.id === undefined ? undefined : knownRefs(command.id, tasks, name);
    for (const ref of refs ?? []) if (ref.subtask !== undefined) throw notATask(formatTaskRef(ref));
    const meant = new Set(refs?.map(({ task }) => task));
    const cleared = tasks.filter(
      ({ id, subtasks }) => (refs === undefined || meant.has(id)) && subtasks.length > 0,
    );
    const empty = new Set(cleared);
    const left = tasks.map((task) => (empty.has(task) ? { ...task, subtasks: [] } : task));
    return {
      tasks: remapDependencies(tasks, { tasks: left, renamed: new Map() }),
      outcome: { cleared: cleared.map(({ id, subtasks }) => ({ id, subtasksRemoved: subtasks.length })) },
    };
  });
}

/** A subtask as a task of its own; what it does not say its parent says. */
export function convertSubtaskToTask(subtask: Subtask, id: number, parent: Pick<Task, 'priority'>): Task {
  const { parentTaskId: _, ...own } = subtask as Subtask & { readonly parentTaskId?: unknown };
  return {
    ...own,
    id,
    priority: subtask.priority ?? parent.priority,
    subtasks: [],
  };
}

function knownRefs(ids: string, tasks: readonly Task[], tag: string): TaskRef[] {
  const refs = new Map(parseTaskRefs(ids).map((ref) => [formatTaskRef(ref), ref]));
  for (const ref of refs.values()) {
    const task = requireTask({ tasks }, tag, ref);
    if (ref.subtask !== undefined) requireSubtask(task, tag, ref);
  }
  return [...refs.values()];
}

function without(tasks: readonly Task[], refs: readonly TaskRef[]): Task[] {
  const gone = new Set(refs.map(formatTaskRef));
  return tasks.map((task) => {
    const subtasks = task.subtasks.filter(({ id }) => !gone.has(`${task.id}.${id}`));
    return subtasks.length === task.subtasks.length ? task : { ...task, subtasks };
  });
}

function titleOf(tasks: readonly Task[], ref: TaskRef): string {
  const task = tasks.find(({ id }) => id === ref.task);
  const item = ref.subtask === undefined ? task : task?.subtasks.find(({ id }) => id === ref.subtask);
  return item?.title ?? '';
}

/** The complexity of a task that is gone is forgotten: another may get its number. */
function dropMissingReportEntries(applied: CommandResult): CommandResult {
  const name = applied.outcome['tag'] as string;
  const report = applied.project.reports.get(name);
  if (report === undefined) return applied;
  const there = new Set(applied.project.tags.get(name)?.tasks.map(({ id }) => id));
  const left = renumberReport(report, (id) => (there.has(id) ? id : undefined));
  return { ...applied, project: withReport(applied.project, name, left) };
}

function notASubtask(id: number): BatonError {
  return new BatonError(
    'invalid_arguments',
    `id: '${id}' is a whole task; name a subtask ("${id}.1"), or use remove_task.`,
    { field: 'id' },
  );
}

function notATask(id: string): BatonError {
  return new BatonError(
    'invalid_arguments',
    `id: '${id}' is a subtask; name the task whose subtasks are to go.`,
    { field: 'id' },
  );
}
