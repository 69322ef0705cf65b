import { isDeepStrictEqual } from 'node:util';
import type { Loose } from '../harness/client.ts';

/** What was done, as it was when it was first seen done: nothing may touch it after that. */
export class DoneWork {
  private readonly kept = new Map<string, Loose>();

  /** What became of work that was done; and keeps what is newly done. */
  touched(file: Loose): string[] {
    const now = itemsOf(file);
    const problems: string[] = [];
    for (const [id, before] of this.kept) {
      const after = now.get(id);
      if (isDeepStrictEqual(after, before)) continue;
      problems.push(
        after === undefined
          ? `${id} was done, and is gone`
          : `${id} was done, and became ${JSON.stringify(after)} from ${JSON.stringify(before)}`,
      );
      // It is said once.
      this.kept.set(id, after);
    }
    for (const [id, item] of now) if (item.status === 'done' && !this.kept.has(id)) this.kept.set(id, item);
    return problems;
  }
}

/** All tasks and subtasks of a file by their ids, such as `3` and `3.2`. */
export function itemsOf(file: Loose): Map<string, Loose> {
  const tasks: Loose[] = Object.values<Loose>(file).flatMap((tag) => tag.tasks);
  return new Map(
    tasks.flatMap((task): [string, Loose][] => [
      [`${task.id}`, task],
      ...task.subtasks.map((subtask: Loose): [string, Loose] => [`${task.id}.${subtask.id}`, subtask]),
    ]),
  );
}
