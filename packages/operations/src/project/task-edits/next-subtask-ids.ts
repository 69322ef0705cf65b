import { noHigherIdError } from '../model/project-errors.ts';
import { type Dependency, MAX_ID } from '../model/task-id.ts';
import type { Subtask } from '../model/task.ts';

/**
 * The next ids for `count` new subtasks: counted on from the highest, without numbers that refer to tasks in the
 * dependencies of siblings or of the new subtasks.
 *
 * @throws BatonError `limit_size` where there are not so many above it.
 */
export function nextSubtaskIds(
  subtasks: readonly Subtask[],
  count: number,
  alsoTaken: readonly Dependency[] = [],
): number[] {
  const own = new Set(subtasks.map(({ id }) => id));
  const meantTasks = [...subtasks.flatMap(({ dependencies }) => dependencies), ...alsoTaken];
  const taken = new Set(meantTasks.filter((dependency) => !own.has(dependency as number)));
  const ids: number[] = [];
  const highest = Math.max(0, ...own);
  for (let id = highest + 1; ids.length < count; id++) if (!taken.has(id)) ids.push(id);
  if ((ids.at(-1) ?? 0) > MAX_ID) throw noHigherIdError(`subtask ${highest}`);
  return ids;
}
