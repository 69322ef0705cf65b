import { nothingStartsMessage } from '../dependencies/nothing-ready.ts';
import { nextReadyItem, taskItemView } from '../dependencies/ready-items.ts';
import { asJsonOutcome, type CommandResult } from '../model/command-result.ts';
import { type Project, resolveTag, withTag } from '../model/project.ts';
import { requireProject, requireSubtask, requireTag, requireTask } from '../model/require-existing.ts';
import type { Status } from '../model/status-and-priority.ts';
import { formatTaskRef, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import { type Subtask, type Task, taskIdsOf } from '../model/task.ts';

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

/**
 * The project with the next pending task or subtask in progress; unchanged where none can be started. Commands of one
 * project are applied one after the other, so callers at the same time start different ones.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function startNext(
  project: Project | undefined,
  command: { readonly tag?: string | undefined },
  now: string,
): CommandResult {
  const existing = requireProject(project);
  const tag = resolveTag(existing, command.tag);
  const { tasks } = requireTag(existing, tag);
  const next = nextReadyItem(tasks, (status) => status === 'pending');
  if (next === undefined) {
    const message = nothingStartsMessage(tasks);
    return { project: existing, outcome: asJsonOutcome({ tag, task: null, message }) };
  }
  const id = formatTaskRef(next);
  const after = setStatus(existing, { id, status: 'in-progress', tag }, now).project;
  const task = taskItemView(requireTag(after, tag).tasks, next);
  return { project: after, outcome: asJsonOutcome({ tag, task, message: `Started ${id}: ${task.title}` }) };
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
    return { ...item, status: to };
  };
  const changed = whole ? set(task, { task: task.id }) : task;
  const meant = (id: number) => (whole && to === 'done') || refs.some(({ subtask }) => subtask === id);
  const subtasks = task.subtasks.map((subtask) =>
    meant(subtask.id) ? set(subtask, { task: task.id, subtask: subtask.id }) : subtask,
  );
  const same = subtasks.every((subtask, index) => subtask === task.subtasks[index]);
  return same ? changed : { ...changed, subtasks };
}
