import type { AnyJson } from '../../harness/mcp-client.ts';

const STATUSES = ['pending', 'in-progress', 'review', 'done', 'deferred', 'cancelled', 'blocked'];

/**
 * Rules that an exported file violates: unique ids, existing dependencies without cycles, known statuses. Computed from the
 * file alone, without Baton's own model of a project.
 */
export function checkProjectInvariants(file: AnyJson): string[] {
  return Object.entries<AnyJson>(file).flatMap(([tag, { tasks }]) =>
    tagRuleErrors(tasks).map((problem) => `${tag}: ${problem}`),
  );
}

function tagRuleErrors(tasks: readonly AnyJson[]): string[] {
  const problems: string[] = [];
  /** Dependencies by full id. */
  const needs = new Map<string, string[]>();
  const add = (id: string, item: AnyJson, dependencies: string[]) => {
    if (needs.has(id)) problems.push(`two items have id ${id}`);
    if (!STATUSES.includes(item.status)) problems.push(`'${item.status}' of ${id} is no status`);
    if (new Set(dependencies).size < dependencies.length) problems.push(`${id} names a dependency twice`);
    needs.set(id, dependencies);
  };
  for (const task of tasks) {
    add(`${task.id}`, task, task.dependencies.map(String));
    for (const subtask of task.subtasks) {
      // A bare number within a task means its sibling where there is one, as claude-task-master has it.
      const siblings = new Set(task.subtasks.map(({ id }: AnyJson) => String(id)));
      const full = (one: unknown) => (siblings.has(String(one)) ? `${task.id}.${one}` : String(one));
      add(`${task.id}.${subtask.id}`, subtask, subtask.dependencies.map(full));
    }
  }
  for (const [id, dependencies] of needs)
    for (const one of dependencies)
      if (!needs.has(one)) problems.push(`${id} depends on ${one}, which does not exist`);
  return [...problems, ...dependencyCycle(needs)];
}

/** Removes items without open dependencies until none is left to remove; the rest is in a cycle. */
function dependencyCycle(needs: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(needs);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [id, dependencies] of left) if (!dependencies.some((one) => left.has(one))) left.delete(id);
  }
  return left.size === 0 ? [] : [`${[...left.keys()].join(', ')} depend on each other`];
}
