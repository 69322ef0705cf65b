import { BatonError } from '@baton/protocol';
import {
  linkNewItems,
  positionsById,
  resolveToNewItemPosition,
} from '../dependencies/new-item-dependencies.ts';
import { type CommandResult } from '../model/command-result.ts';
import { editTasksInTag, replaceTask } from '../task-edits/edit-tasks-in-tag.ts';
import { allItemIds } from '../dependencies/dependency-graph.ts';
import { convertTaskToSubtask } from '../task-edits/convert-item.ts';
import { type GeneratedSubtask } from '../model/generated-subtask.ts';
import { type Project, withComplexityReport } from '../model/project.ts';
import { requireSeen, requireTask } from '../model/require-existing.ts';
import { isUnseenItem, type SeenItems } from '../model/item-uid.ts';
import { remapReportTaskIds } from '../model/complexity-report.ts';
import { findDroppedDependencies } from '../dependencies/dropped-dependencies.ts';
import { listRemarks } from '../model/remarks.ts';
import { remapDependencies, chooseDependencyForm } from '../dependencies/remap-dependencies.ts';
import { nextSubtaskIds } from '../task-edits/next-subtask-ids.ts';
import { type Dependency, dependencyRelativeToParent } from '../model/task-id.ts';
import { parseDependencyIds } from '../task-edits/item-refs.ts';
import { type Status } from '../model/status-and-priority.ts';
import { type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';
import { dependencyCycleError, taskDoneError, unknownDependencyError } from '../model/project-errors.ts';

/** Limit of subtasks in one answer. */
export const MAX_SUBTASKS_PER_ANSWER = 100;

/** Puts an LLM's subtasks into a task. `replace_pending` first takes out those that nobody has begun, done or set aside, and that came since the task was `seen`. */
interface AddSubtasks {
  readonly id: number;
  readonly mode: 'append' | 'replace_pending';
  readonly subtasks: readonly GeneratedSubtask[];
  readonly tag?: string | undefined;
  readonly seen?: SeenItems | undefined;
  /** Whether the outcome is to hold the whole task: it is journaled, and a hundred of them would add up. */
  readonly show?: boolean;
}

/** Adds one subtask: a new one, or an existing task turned into a subtask. */
interface AddSubtask {
  readonly id: number;
  readonly subtask:
    | { readonly taskId: number }
    | {
        readonly title: string;
        readonly description: string;
        readonly details: string;
        readonly testStrategy: string;
        readonly status: Status;
        /** Outside ids, separated by commas; each must exist. */
        readonly dependencies: string;
      };
  readonly tag?: string | undefined;
}

/**
 * The project with the subtasks in the task, numbered on by their position, so that colliding ids lose nothing.
 * Dependencies mean siblings, of the answer first; those on nothing and those in a ring go.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `project_task_done`, `limit_size`.
 */
export function addSubtasks(project: Project | undefined, command: AddSubtasks, now: string): CommandResult {
  return editTasksInTag(project, command.tag, now, (before, tag) => {
    const found = requireTask({ tasks: before }, tag, { task: command.id });
    requireSeen(command.seen, tag, `${command.id}`, found);
    if (found.status === 'done') throw taskDoneError(tag, `${found.id}`);
    const kept =
      command.mode === 'append'
        ? found.subtasks
        : found.subtasks.filter(
            (subtask) =>
              subtask.status !== 'pending' ||
              isUnseenItem(command.seen, `${found.id}.${subtask.id}`, subtask),
          );
    refuseTooMany(found, kept.length + command.subtasks.length);
    const parent = { ...found, subtasks: kept };
    const tasks =
      kept.length === found.subtasks.length
        ? before
        : remapDependencies(before, { tasks: replaceTask(before, parent), renamed: new Map() });
    const stands = requireTask({ tasks }, tag, { task: command.id });
    const { linked: subtasks, dependenciesIgnored } = numbered(command.subtasks, stands, allItemIds(tasks));
    const next = replaceTask(tasks, { ...stands, subtasks: [...stands.subtasks, ...subtasks] });
    const subtaskIds = subtasks.map(({ id }) => `${command.id}.${id}`);
    const outcome = {
      id: command.id,
      title: found.title,
      subtaskIds,
      replaced: found.subtasks.length - kept.length,
      ...listRemarks({ dependenciesIgnored, droppedDependencies: findDroppedDependencies(before, tasks) }),
      ...(command.show ? { task: requireTask({ tasks: next }, tag, { task: command.id }) } : {}),
    };
    return { tasks: next, outcome };
  });
}

function numbered(given: readonly GeneratedSubtask[], parent: Task, known: ReadonlySet<string>) {
  const ids = nextSubtaskIds(parent.subtasks, given.length);
  const siblings = new Set(parent.subtasks.map(({ id }) => id));
  const carriers = positionsById(given);
  const subtasks = given.map(
    ({ title, description, details, testStrategy }, position): Subtask => ({
      id: ids[position] as number,
      title,
      description,
      dependencies: [],
      details: details ?? '',
      status: 'pending',
      testStrategy: testStrategy ?? '',
    }),
  );
  const meaning = (dependency: Dependency, position: number): Dependency | undefined => {
    const local = dependencyRelativeToParent(dependency, parent.id);
    if (typeof local === 'string') return known.has(local) && local !== `${parent.id}` ? local : undefined;
    const other = resolveToNewItemPosition(local, position, carriers);
    if (other !== undefined) return ids[other];
    return siblings.has(local) ? local : undefined;
  };
  return linkNewItems(subtasks, given, meaning, `${parent.id}.`);
}

/** @throws BatonError as `addSubtasks`, and `invalid_arguments` for a task that cannot become a subtask. */
export function addSubtask(project: Project | undefined, command: AddSubtask, now: string): CommandResult {
  const { subtask } = command;
  const applied = editTasksInTag(project, command.tag, now, (tasks, tag) => {
    const parent = requireTask({ tasks }, tag, { task: command.id });
    refuseTooMany(parent, parent.subtasks.length + 1);
    const shown = (next: readonly Task[]) => {
      const made = requireTask({ tasks: next }, tag, { task: command.id }).subtasks.at(-1);
      return { tasks: next, outcome: { id: `${command.id}.${made?.id}`, subtask: made } };
    };
    if ('taskId' in subtask) return shown(converted(tasks, parent, subtask.taskId, tag));
    const known = allItemIds(tasks);
    const targets = parseDependencyIds(subtask.dependencies);
    for (const target of targets) if (!known.has(target)) throw unknownDependencyError(tag, target);
    const [id = 1] = nextSubtaskIds(parent.subtasks, 1, targets.map(Number));
    const [whole, holder] = [`${parent.id}`, `${parent.id}.${id}`];
    if (targets.includes(whole)) throw dependencyCycleError([holder, whole, holder]);
    const dependencies = targets.map((target) =>
      chooseDependencyForm(target, undefined, new Set([...known, holder]), holder, parent.id),
    );
    const { title, description, details, status, testStrategy } = subtask;
    const made = { id, title, description, dependencies, details, status, testStrategy };
    return shown(replaceTask(tasks, { ...parent, subtasks: [...parent.subtasks, made] }));
  });
  const report =
    'taskId' in subtask ? applied.project.reports.get(applied.outcome['tag'] as string) : undefined;
  if (report === undefined || !('taskId' in subtask)) return applied;
  const left = remapReportTaskIds(report, (id) => (id === subtask.taskId ? undefined : id));
  return {
    ...applied,
    project: withComplexityReport(applied.project, applied.outcome['tag'] as string, left),
  };
}

function converted(tasks: readonly Task[], parent: Task, taskId: number, tag: string): readonly Task[] {
  const task = requireTask({ tasks }, tag, { task: taskId });
  if (task === parent) throw cannotConvert(taskId, 'it is the task that it would be a part of');
  if (task.subtasks.length > 0) throw cannotConvert(taskId, 'it has subtasks of its own');
  const [id = 1] = nextSubtaskIds(parent.subtasks, 1, task.dependencies);
  const left = tasks.filter((other) => other !== task);
  const next = replaceTask(left, {
    ...parent,
    subtasks: [...parent.subtasks, convertTaskToSubtask(task, id)],
  });
  return remapDependencies(tasks, { tasks: next, renamed: new Map([[`${parent.id}.${id}`, `${taskId}`]]) });
}

function cannotConvert(id: number, why: string): BatonError {
  return new BatonError(
    'invalid_arguments',
    `taskId: task ${id} cannot become a subtask: ${why}. Nothing was changed.`,
    { field: 'taskId' },
  );
}

function refuseTooMany({ id, subtasks }: Task, would: number): void {
  const { subtasksPerTask } = TASK_LIMITS;
  if (would <= subtasksPerTask) return;
  throw new BatonError(
    'limit_size',
    `Task ${id} has ${subtasks.length} subtasks and may have ${subtasksPerTask}. Nothing was changed.`,
    { limit: 'subtasksPerTask', most: subtasksPerTask },
  );
}
