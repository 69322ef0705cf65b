import type { Status } from '../model/status-and-priority.ts';
import type { Task } from '../model/task.ts';
import { allItemIds, dependencyLinks } from './dependency-graph.ts';
import { isOpen } from './ready-items.ts';

const MOST_NAMED = 5;

/** Why no open task of a tag can be worked on: for `next_task`, which gives what is in progress too. */
export function nothingReadyMessage(tasks: readonly Task[]): string {
  const open = tasks.filter(({ status }) => isOpen(status)).length;
  if (open === 0) return 'Nothing is left to start: no task is pending or in progress.';
  const waits = `None of the ${open} open tasks can start: each waits for a dependency that is not done.`;
  return [waits, ...setAsideNote(tasks)].join(' ');
}

/** Why nothing that is pending can be started: for `start_next_task`, which leaves what is in progress to who began it. */
export function nothingStartsMessage(tasks: readonly Task[]): string {
  const begun = tasks.filter(({ status }) => status === 'in-progress');
  if (begun.length === 0) return nothingReadyMessage(tasks);
  const pending = tasks.filter(({ status }) => status === 'pending').length;
  const waits = pending === 0 ? '' : ` Pending, and waiting for dependencies that are not done: ${pending}.`;
  const finished = begun.filter(
    ({ subtasks }) =>
      subtasks.length > 0 && subtasks.every(({ status }) => status === 'done' || status === 'cancelled'),
  );
  return [
    `Nothing can be started now. In progress: ${named(begun.map(({ id }) => `${id}`))}.${waits}`,
    ...(finished.length === 0
      ? []
      : [`No subtask is left, and the task is not done, of: ${named(finished.map(({ id }) => `${id}`))}.`]),
    ...setAsideNote(tasks),
  ].join(' ');
}

function setAsideNote(tasks: readonly Task[]): string[] {
  const setAside = dependenciesSetAside(tasks);
  if (setAside.length === 0) return [];
  const ids = named(setAside.map(({ id, status }) => `${id} (${status})`));
  return [`Not done and not open either: ${ids}. Set its status, or remove the dependency on it.`];
}

function named(ids: readonly string[]): string {
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  return `${ids.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** What open tasks depend on that is neither done nor open, such as a cancelled task, in the order of the tasks. */
function dependenciesSetAside(tasks: readonly Task[]): { readonly id: string; readonly status: Status }[] {
  const needed = new Set(
    dependencyLinks(
      tasks.filter(({ status }) => isOpen(status)),
      allItemIds(tasks),
    ).map(({ to }) => to),
  );
  return tasks
    .flatMap(({ id, status, subtasks }) => [
      { id: `${id}`, status },
      ...subtasks.map((part) => ({ id: `${id}.${part.id}`, status: part.status })),
    ])
    .filter(({ id, status }) => needed.has(id) && status !== 'done' && !isOpen(status));
}
