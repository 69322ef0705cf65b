import { BatonError } from '@baton/protocol';
import { nextSubtaskIds } from './next-subtask-ids.ts';
import { type Dependency, dependencyRelativeToParent } from '../model/task-id.ts';
import { type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';
import { rebaseDependencies } from '../dependencies/rebase-dependencies.ts';
import type { IgnoredStatus } from '../model/remarks.ts';
import type { SubtaskUpdate } from './task-update.ts';

interface MergedSubtasks {
  readonly subtasks: readonly Subtask[];
  /** Statuses that were given for done subtasks, and for new ones. */
  readonly ignored: readonly IgnoredStatus[];
}

/**
 * A task's subtasks with an LLM's changes: those that are done stay as they are, those that are not mentioned stay,
 * and what is marked as new, or has a number that none has or that one before it has taken, is a new one: colliding ids
 * never lose a subtask.
 *
 * @throws BatonError `limit_size`.
 */
export function mergeSubtaskUpdates(task: Task, updates: readonly SubtaskUpdate[]): MergedSubtasks {
  const free = new Map(task.subtasks.map((subtask) => [subtask.id, subtask]));
  const meant = updates.map((update) => {
    const subtask = update.isNew ? undefined : free.get(update.id);
    if (subtask !== undefined) free.delete(subtask.id);
    return subtask;
  });
  const fresh = updates.filter((update, at) => meant[at] === undefined && isWhole(update));
  if (task.subtasks.length + fresh.length > TASK_LIMITS.subtasksPerTask) throw tooMany(task);
  const ids = nextSubtaskIds(task.subtasks, fresh.length);
  const idOf = new Map<SubtaskUpdate, number>(
    updates.map((update, at) => [update, meant[at]?.id ?? (ids[fresh.indexOf(update)] as number)]),
  );
  const siblings = new Set(task.subtasks.map(({ id }) => id));
  const linked = (dependencies: readonly Dependency[], own: number, had: readonly Dependency[] = []) =>
    dependencies.flatMap((dependency): Dependency[] => {
      const local = dependencyRelativeToParent(dependency, task.id);
      // What it waited for before it waits for still, though a new subtask has come with the same number.
      if (had.includes(local)) return local === own ? [] : [local];
      const named = updates.find(({ id }) => id === local);
      const sibling = named === undefined ? local : (idOf.get(named) ?? local);
      // A number that is no sibling's would mean a task, which an LLM that was shown subtasks does not mean.
      if (typeof sibling === 'number' && !siblings.has(sibling) && !ids.includes(sibling)) return [];
      return sibling === own ? [] : [sibling];
    });
  const changed = new Map<number, Subtask>();
  for (const [at, update] of updates.entries()) {
    const subtask = meant[at];
    if (subtask === undefined || subtask.status === 'done') continue;
    const { id: _, dependencies, dependenciesShown, statusQuote: _quote, isNew: _isNew, ...rest } = update;
    const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    changed.set(subtask.id, {
      ...subtask,
      ...fields,
      ...(dependencies === undefined
        ? {}
        : {
            dependencies: linked(
              rebaseDependencies(subtask.dependencies, dependencies, dependenciesShown),
              subtask.id,
              subtask.dependencies,
            ),
          }),
    });
  }
  const added = fresh.map((update): Subtask => {
    const id = idOf.get(update) as number;
    return {
      id,
      title: update.title ?? '',
      description: update.description ?? '',
      dependencies: linked(update.dependencies ?? [], id),
      details: update.details ?? '',
      status: 'pending',
      testStrategy: update.testStrategy ?? '',
    };
  });
  return {
    subtasks: [...task.subtasks.map((subtask) => changed.get(subtask.id) ?? subtask), ...added],
    ignored: updates.flatMap((update, at): IgnoredStatus[] => {
      const id = idOf.get(update);
      const { status } = update;
      const had = meant[at]?.status ?? 'pending';
      if (id === undefined || status === undefined || status === had) return [];
      if (meant[at] !== undefined && had !== 'done') return [];
      return [{ id: `${task.id}.${id}`, status, reason: had === 'done' ? 'done' : 'new' }];
    }),
  };
}

/** A new subtask says at least what it is called. */
function isWhole({ title }: SubtaskUpdate): boolean {
  return title !== undefined && title !== '';
}

function tooMany({ id, subtasks }: Task): BatonError {
  const { subtasksPerTask } = TASK_LIMITS;
  return new BatonError(
    'limit_size',
    `Task ${id} has ${subtasks.length} subtasks and may have ${subtasksPerTask}.`,
    {
      limit: 'subtasksPerTask',
      most: subtasksPerTask,
    },
  );
}
