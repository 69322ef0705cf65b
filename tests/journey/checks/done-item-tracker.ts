import { isDeepStrictEqual } from 'node:util';
import type { AnyJson } from '../../harness/mcp-client.ts';

/** Items as they were when first seen done; nothing may change them later. */
export class DoneItemTracker {
  private readonly items = new Map<string, AnyJson>();

  /** Records newly done items; returns the changes of earlier ones. */
  findChanges(file: AnyJson): string[] {
    const now = itemsById(file);
    const problems: string[] = [];
    for (const [id, before] of this.items) {
      const after = now.get(id);
      if (isDeepStrictEqual(after, before)) continue;
      problems.push(
        after === undefined
          ? `${id} was done, and was removed`
          : `${id} was done, and became ${JSON.stringify(after)} from ${JSON.stringify(before)}`,
      );
      // Each change is reported once.
      this.items.set(id, after);
    }
    for (const [id, item] of now) if (item.status === 'done' && !this.items.has(id)) this.items.set(id, item);
    return problems;
  }
}

/** All tasks and subtasks of an exported file by id, such as `3` and `3.2`. */
export function itemsById(file: AnyJson): Map<string, AnyJson> {
  const tasks: AnyJson[] = Object.values<AnyJson>(file).flatMap((tag) => tag.tasks);
  return new Map(
    tasks.flatMap((task): [string, AnyJson][] => [
      [`${task.id}`, task],
      ...task.subtasks.map((subtask: AnyJson): [string, AnyJson] => [`${task.id}.${subtask.id}`, subtask]),
    ]),
  );
}
