import { nothingStartsMessage } from '../dependencies/nothing-ready.ts';
import { isOpen, nextReadyItem, taskItemView } from '../dependencies/ready-items.ts';
import type { CommandResult } from '../model/command-result.ts';
import { type Project, resolveTag, withTag } from '../model/project.ts';
import { requireProject, requireSubtask, requireTag, requireTask } from '../model/require-existing.ts';
import type { Status } from '../model/status-and-priority.ts';
import { formatTaskRef, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import { startedAtOf, type Subtask, type Task, taskIdsOf } from '../model/task.ts';
import { editTasksInTag } from '../task-edits/edit-tasks-in-tag.ts';
import { updateItemAt } from '../task-edits/update-item-at.ts';

/** Sets one status on tasks and subtasks: `id` is "3", "3.2" or a comma list of such. */
interface SetStatus {
  readonly id: string;
  readonly status: Status;
  readonly tag?: string | undefined;
}

export interface StatusChange {
  readonly id: string;
  readonly from: Status;
  readonly to: Status;
}

/**
 * The project with the statuses set, all of them or, on any refusal, none. A task that is done has its subtasks done
 * too, as claude-task-master has it; `updated` lists those as well, and leaves out what already was so.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `invalid_arguments`.
 */
export function setStatus(
  project: Project | undefined,
  command: SetStatus,
  now: string,
): { project: Project; tag: string; updated: readonly StatusChange[] } {
  const existing = requireProject(project);
  const name = resolveTag(existing, command.tag);
  const tag = requireTag(existing, name);
  const refs = byTask(parseTaskRefs(command.id));
  const ids = taskIdsOf(tag.tasks);
  const tasks = [...tag.tasks];
  const updated: StatusChange[] = [];
  for (const [id, own] of refs) {
    const at = ids.indexOf(id);
    const task = tasks[at] ?? requireTask(tag, name, { task: id });
    for (const ref of own) if (ref.subtask !== undefined) requireSubtask(task, name, ref);
    tasks[at] = withStatus(task, own, command.status, updated);
  }
  if (updated.length === 0) return { project: existing, tag: name, updated };
  const changed = { ...tag, tasks, metadata: { ...tag.metadata, updated: now } };
  return { project: withTag(existing, name, changed), tag: name, updated };
}

/** `restartAfterMinutes`: what was started so long ago, and is still in progress, is given again. */
interface StartNext {
  readonly tag?: string | undefined;
  readonly restartAfterMinutes?: number | undefined;
}

/**
 * The project with the next task or subtask in progress; unchanged where none can be started. Commands of one
 * project are applied one after the other, so callers at the same time start different ones.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function startNext(
  project: Project | undefined,
  { tag, restartAfterMinutes }: StartNext,
  now: string,
): CommandResult {
  const staleBefore = Date.parse(now) - (restartAfterMinutes ?? Number.POSITIVE_INFINITY) * 60_000;
  return editTasksInTag(project, tag, now, (tasks) => {
    const next = nextReadyItem(
      tasks,
      (item, parent) =>
        item.status === 'pending' ||
        (isStale(item, staleBefore) && (parent !== undefined || !hasOpenPart(item))),
    );
    if (next === undefined) return { tasks, outcome: { task: null, message: nothingStartsMessage(tasks) } };
    const before = taskItemView(tasks, next);
    const started = updateItemAt(tasks, next, (item) => ({ ...item, status: 'in-progress', startedAt: now }));
    const task = taskItemView(started, next);
    const again = before.status === 'pending' ? '' : ` (again: in progress since ${startedAtOf(before)})`;
    return { tasks: started, outcome: { task, message: `Started ${task.id}: ${task.title}${again}` } };
  });
}

function isStale(item: Task | Subtask, before: number): boolean {
  return item.status === 'in-progress' && Date.parse(startedAtOf(item) ?? '') <= before;
}

/** A task that has one is worked on in its subtasks. */
function hasOpenPart(task: Task | Subtask): boolean {
  return (task as Task).subtasks.some(({ status }) => isOpen(status));
}

function byTask(refs: readonly TaskRef[]): Map<number, TaskRef[]> {
  const grouped = new Map<number, TaskRef[]>();
  for (const ref of refs) grouped.set(ref.task, [...(grouped.get(ref.task) ?? []), ref]);
  return grouped;
}

function withStatus(task: Task, refs: readonly TaskRef[], to: Status, updated: StatusChange[]): Task {
  const whole = refs.some(({ subtask }) => subtask === undefined);
  const set = <T extends Task | Subtask>(item: T, ref: TaskRef): T => {
    if (item.status === to) return item;
    updated.push({ id: formatTaskRef(ref), from: item.status, to });
    const { startedAt: _, ...others } = item;
    return { ...(others as T), status: to };
  };
  const changed = whole ? set(task, { task: task.id }) : task;
  const meant = (id: number) => (whole && to === 'done') || refs.some(({ subtask }) => subtask === id);
  const subtasks = task.subtasks.map((subtask) =>
    meant(subtask.id) ? set(subtask, { task: task.id, subtask: subtask.id }) : subtask,
  );
  const same = subtasks.every((subtask, index) => subtask === task.subtasks[index]);
  return same ? changed : { ...changed, subtasks };
}
