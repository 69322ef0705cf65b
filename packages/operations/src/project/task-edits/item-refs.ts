import { BatonError } from '@baton/protocol';
import { requireSubtask, requireTask } from '../model/require-existing.ts';
import { formatTaskRef, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import { findTask, type Task, TASK_LIMITS } from '../model/task.ts';

/** The items that `ids` names, each once; every one must exist. @throws BatonError as `requireTask`. */
export function requireItemRefs(ids: string, tasks: readonly Task[], tag: string): TaskRef[] {
  const refs = new Map(parseTaskRefs(ids).map((ref) => [formatTaskRef(ref), ref]));
  for (const ref of refs.values()) {
    const task = requireTask({ tasks }, tag, ref);
    if (ref.subtask !== undefined) requireSubtask(task, tag, ref);
  }
  return [...refs.values()];
}

/**
 * The ids that the argument `dependencies` names, each once; none where it is blank.
 *
 * @throws BatonError `invalid_arguments` for what is no id, and for more of them than a task may have.
 */
export function parseDependencyIds(dependencies: string): string[] {
  if (dependencies.trim() === '') return [];
  const ids = [...new Set(parseTaskRefs(dependencies, 'dependencies').map(formatTaskRef))];
  const most = TASK_LIMITS.dependencies;
  if (ids.length > most) throw tooManyIdsError('dependencies', ids.length, most);
  return ids;
}

/** `invalid_arguments` for an argument that names more ids than it may. */
export function tooManyIdsError(field: string, length: number, most: number): BatonError {
  return new BatonError(
    'invalid_arguments',
    `${field}: it names ${length} ids, and may name ${most}. Nothing was changed.`,
    { field, length, most },
  );
}

/** The tasks without the subtasks among `refs`. */
export function withoutListedSubtasks(tasks: readonly Task[], refs: readonly TaskRef[]): Task[] {
  const gone = new Set(refs.map(formatTaskRef));
  return tasks.map((task) => {
    const subtasks = task.subtasks.filter(({ id }) => !gone.has(`${task.id}.${id}`));
    return subtasks.length === task.subtasks.length ? task : { ...task, subtasks };
  });
}

export function titleAt(tasks: readonly Task[], ref: TaskRef): string {
  const task = findTask(tasks, ref.task);
  const item = ref.subtask === undefined ? task : task?.subtasks.find(({ id }) => id === ref.subtask);
  return item?.title ?? '';
}
