import type { Subtask, Task } from '../model/task.ts';
import { allItemIds, resolveDependency } from './dependency-graph.ts';

/** The dependencies that tasks and subtasks which keep their ids have lost by an edit that removed others. */
export function findDroppedDependencies(before: readonly Task[], after: readonly Task[]): string[] {
  if (before === after) return [];
  const was = new Map(before.map((task) => [task.id, task]));
  const changed = after.flatMap((task): [Task, Task][] => {
    const then = was.get(task.id);
    return then === undefined || then === task ? [] : [[then, task]];
  });
  if (changed.length === 0) return [];
  const [knownBefore, knownAfter] = [allItemIds(before), allItemIds(after)];
  const lost = (id: string, then: Task | Subtask, now: Task | Subtask, parent?: number) => {
    if (then.dependencies === now.dependencies) return [];
    const left = new Set(now.dependencies.map((one) => resolveDependency(knownAfter, one, parent)));
    const had = then.dependencies.map((one) => resolveDependency(knownBefore, one, parent));
    return had.filter((one) => one !== undefined && !left.has(one)).map((one) => `${id} → ${one}`);
  };
  return changed.flatMap(([then, now]) => {
    const parts = new Map(then.subtasks.map((subtask) => [subtask.id, subtask]));
    return [
      ...lost(`${now.id}`, then, now),
      ...now.subtasks.flatMap((subtask) => {
        const part = parts.get(subtask.id);
        return part === undefined ? [] : lost(`${now.id}.${subtask.id}`, part, subtask, now.id);
      }),
    ];
  });
}
