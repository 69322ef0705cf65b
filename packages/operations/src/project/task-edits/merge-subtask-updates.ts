import { BatonError } from '@baton/protocol';
import { definedFields } from '../../schema/defined-fields.ts';
import { nextSubtaskIds } from './next-subtask-ids.ts';
import { type Dependency, dependencyRelativeToParent } from '../model/task-id.ts';
import { type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';
import { rebaseDependencies } from '../dependencies/rebase-dependencies.ts';
import { isGoneItem, type SeenItems } from '../model/item-uid.ts';
import type { IgnoredStatus, Remarks, SkippedSubtask } from '../model/remarks.ts';
import type { SubtaskUpdate } from './task-update.ts';

interface MergedSubtasks {
  readonly subtasks: readonly Subtask[];
  /** Statuses that were given for done subtasks, and for new ones; what is not changed; dependencies on nothing and on itself. */
  readonly remarks: Pick<Remarks, 'statusesIgnored' | 'subtasksSkipped' | 'dependenciesIgnored'>;
}

/**
 * A task's subtasks with an LLM's changes: those that are done stay as they are, those that are not mentioned stay,
 * and what is marked as new, or has a number that none has or that one before it has taken, is a new one: colliding ids
 * never lose a subtask. What was `seen` and is removed by now is neither changed nor made again, whatever has its number.
 *
 * @throws BatonError `limit_size`.
 */
export function mergeSubtaskUpdates(
  task: Task,
  given: readonly SubtaskUpdate[],
  seen: SeenItems | undefined,
): MergedSubtasks {
  const free = new Map(task.subtasks.map((subtask) => [subtask.id, subtask]));
  const isGone = ({ id, isNew }: SubtaskUpdate) =>
    !isNew && isGoneItem(seen, `${task.id}.${id}`, free.get(id));
  const gone = given.filter(isGone);
  const goneIds = new Set<Dependency>(gone.map(({ id }) => id));
  const updates = goneIds.size === 0 ? given : given.filter((update) => !isGone(update));
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
  const firstById = new Map<Dependency, SubtaskUpdate>(
    updates.toReversed().map((update) => [update.id, update]),
  );
  const siblings = new Set([...task.subtasks.map(({ id }) => id), ...ids]);
  const dependenciesIgnored: string[] = [];
  const linked = (dependencies: readonly Dependency[], own: number, had: readonly Dependency[] = []) => {
    const before = new Set(had);
    return dependencies.flatMap((dependency): Dependency[] => {
      const means = meaningOf(dependency, before);
      if (means === own || means === undefined)
        dependenciesIgnored.push(`${task.id}.${own} → ${means === own ? `${task.id}.${own}` : dependency}`);
      else return [means];
      return [];
    });
  };
  const meaningOf = (dependency: Dependency, had: ReadonlySet<Dependency>) => {
    const local = dependencyRelativeToParent(dependency, task.id);
    // What it waited for before it waits for still, though a new subtask has come with the same number.
    if (had.has(local)) return local;
    if (goneIds.has(local)) return undefined;
    const named = firstById.get(local);
    const sibling = named === undefined ? local : (idOf.get(named) ?? local);
    // A number that is no sibling's would mean a task, which an LLM that was shown subtasks does not mean.
    if (typeof sibling === 'number' && !siblings.has(sibling)) return undefined;
    return sibling;
  };
  const changed = new Map<number, Subtask>();
  const skipped = (update: SubtaskUpdate, id: number, reason: SkippedSubtask['reason']): SkippedSubtask[] =>
    changesSomething(update) ? [{ id: `${task.id}.${id}`, reason }] : [];
  const subtasksSkipped = gone.flatMap((update) => skipped(update, update.id, 'gone'));
  for (const [at, update] of updates.entries()) {
    const subtask = meant[at];
    if (subtask === undefined) continue;
    if (subtask.status === 'done') {
      subtasksSkipped.push(...skipped(update, subtask.id, 'done'));
      continue;
    }
    const { id: _, dependencies, dependenciesShown, statusQuote: _quote, isNew: _isNew, ...rest } = update;
    changed.set(subtask.id, {
      ...subtask,
      ...definedFields(rest),
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
    remarks: { statusesIgnored: statusesIgnored(), subtasksSkipped, dependenciesIgnored },
  };

  function statusesIgnored(): IgnoredStatus[] {
    return updates.flatMap((update, at): IgnoredStatus[] => {
      const id = idOf.get(update);
      const { status } = update;
      const had = meant[at]?.status ?? 'pending';
      if (id === undefined || status === undefined || status === had) return [];
      if (meant[at] !== undefined && had !== 'done') return [];
      return [{ id: `${task.id}.${id}`, status, reason: had === 'done' ? 'done' : 'new' }];
    });
  }
}

/** Whether more is left of an update than what the request showed; a status is remarked by itself. */
function changesSomething({
  id: _,
  isNew,
  status,
  statusQuote,
  dependenciesShown,
  ...fields
}: SubtaskUpdate) {
  const { dependencies = [], ...texts } = fields;
  return (
    Object.values(texts).some((value) => value !== undefined) ||
    dependencies.join() !== (dependenciesShown ?? dependencies).join()
  );
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
