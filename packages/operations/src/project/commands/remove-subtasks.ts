import { BatonError } from '@baton/protocol';
import { type CommandResult } from '../model/command-result.ts';
import { nextTaskId, type Project } from '../model/project.ts';
import { requireSubtask, requireTask } from '../model/require-existing.ts';
import { formatTaskRef } from '../model/task-id.ts';
import { findDroppedDependencies } from '../dependencies/dropped-dependencies.ts';
import { listRemarks } from '../model/remarks.ts';
import { remapDependencies } from '../dependencies/remap-dependencies.ts';
import { convertSubtaskToTask } from '../task-edits/convert-item.ts';
import { editTasksInTag } from '../task-edits/edit-tasks-in-tag.ts';
import { requireItemRefs, titleAt, withoutListedSubtasks } from '../task-edits/item-refs.ts';

/** Takes subtasks out of their tasks; with `convert` each becomes a task of its own. */
interface RemoveSubtasks {
  readonly id: string;
  readonly convert: boolean;
  readonly tag?: string | undefined;
}

/** Takes all subtasks out of some tasks, or of all of them. */
interface ClearSubtasks {
  /** Undefined: all tasks. */
  readonly id?: string | undefined;
  readonly tag?: string | undefined;
}

/** @throws BatonError as `removeTasks`; `invalid_arguments` for the id of a whole task. */
export function removeSubtasks(
  project: Project | undefined,
  command: RemoveSubtasks,
  now: string,
): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, name) => {
    const refs = requireItemRefs(command.id, tasks, name);
    for (const { task, subtask } of refs) if (subtask === undefined) throw notASubtask(task);
    const removed = refs.map((ref) => ({ id: formatTaskRef(ref), title: titleAt(tasks, ref) }));
    const left = withoutListedSubtasks(tasks, refs);
    if (!command.convert) {
      const next = remapDependencies(tasks, { tasks: left, renamed: new Map() });
      const dropped = listRemarks({ droppedDependencies: findDroppedDependencies(tasks, next) });
      return { tasks: next, outcome: { removed, converted: [], ...dropped } };
    }
    const first = nextTaskId(tasks, refs.length);
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
  command: ClearSubtasks,
  now: string,
): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, name) => {
    const refs = command.id === undefined ? undefined : requireItemRefs(command.id, tasks, name);
    for (const ref of refs ?? []) if (ref.subtask !== undefined) throw notATask(formatTaskRef(ref));
    const meant = new Set(refs?.map(({ task }) => task));
    const cleared = tasks.filter(
      ({ id, subtasks }) => (refs === undefined || meant.has(id)) && subtasks.length > 0,
    );
    const empty = new Set(cleared);
    const left = tasks.map((task) => (empty.has(task) ? { ...task, subtasks: [] } : task));
    const next = remapDependencies(tasks, { tasks: left, renamed: new Map() });
    const dropped = listRemarks({ droppedDependencies: findDroppedDependencies(tasks, next) });
    return {
      tasks: next,
      outcome: {
        cleared: cleared.map(({ id, subtasks }) => ({ id, subtasksRemoved: subtasks.length })),
        ...dropped,
      },
    };
  });
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
