import { isDeepStrictEqual } from 'node:util';
import type { AnyJson } from '../../harness/mcp-client.ts';

/** What was done, as it was when it was first seen done: nothing may touch it after that. */
export class DoneItems {
  private readonly items = new Map<string, AnyJson>();

  /** What became of work that was done; and keeps what is newly done. */
  recordAndCompare(file: AnyJson): string[] {
    const now = itemsById(file);
    const problems: string[] = [];
    for (const [id, before] of this.items) {
      const after = now.get(id);
      if (isDeepStrictEqual(after, before)) continue;
      problems.push(
        after === undefined
          ? `${id} was done, and is gone`
          : `${id} was done, and became ${JSON.stringify(after)} from ${JSON.stringify(before)}`,
      );
      // It is said once.
      this.items.set(id, after);
    }
    for (const [id, item] of now) if (item.status === 'done' && !this.items.has(id)) this.items.set(id, item);
    return problems;
  }
}

/** All tasks and subtasks of a file by their ids, such as `3` and `3.2`. */
export function itemsById(file: AnyJson): Map<string, AnyJson> {
  const tasks: AnyJson[] = Object.values<AnyJson>(file).flatMap((tag) => tag.tasks);
  return new Map(
    tasks.flatMap((task): [string, AnyJson][] => [
      [`${task.id}`, task],
      ...task.subtasks.map((subtask: AnyJson): [string, AnyJson] => [`${task.id}.${subtask.id}`, subtask]),
    ]),
  );
}
