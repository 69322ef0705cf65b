import { findPath } from '@baton/protocol';
import type { Dependency } from '../model/task-id.ts';
import type { Task } from '../model/task.ts';
import { areTaskAndSubtask, dependencyLinks, buildGraph, findCycles } from './dependency-graph.ts';
import { findDuplicates } from './find-duplicates.ts';

/** What is wrong with a dependency, and of whom. */
export interface DependencyIssue {
  readonly kind: 'missing' | 'self' | 'cycle' | 'duplicate';
  readonly id: string;
  readonly dependsOn: string;
  readonly message: string;
}

/** The wrong dependencies of a tag's tasks. Baton's own commands never make one. */
export function findDependencyIssues(tasks: readonly Task[]): DependencyIssue[] {
  const links = dependencyLinks(tasks);
  const issue = (kind: DependencyIssue['kind'], id: string, dependsOn: string, message: string) => ({
    kind,
    id,
    dependsOn,
    message,
  });
  const missing = links
    .filter(({ to }) => to === undefined)
    .map(({ from, dependency }) =>
      issue('missing', from, `${dependency}`, `${from} depends on ${dependency}, which does not exist`),
    );
  const items = tasks.flatMap((task) => [
    { id: `${task.id}`, item: task },
    ...task.subtasks.map((subtask) => ({ id: `${task.id}.${subtask.id}`, item: subtask })),
  ]);
  const duplicates = items.flatMap(({ id, item }) =>
    findDuplicates<Dependency>(item.dependencies).map((dependency) =>
      issue('duplicate', id, `${dependency}`, `${id} depends on ${dependency} more than once`),
    ),
  );
  const wholes = links.flatMap(({ from, to }) =>
    to !== undefined && areTaskAndSubtask(from, to)
      ? [issue('cycle', from, to, `${from} depends on ${to}, and a task is done only with its subtasks`)]
      : [],
  );
  const graph = buildGraph(links);
  const cycles = findCycles(graph).map((ring) => {
    const first = ring[0] as string;
    const next = graph.get(first)?.find((to) => ring.includes(to)) ?? first;
    const chain = [first, ...(next === first ? [first] : (findPath(graph, next, first) ?? []))].join(' → ');
    return issue(ring.length === 1 ? 'self' : 'cycle', first, next, `${chain}: these wait for each other`);
  });
  return [...missing, ...duplicates, ...wholes, ...cycles];
}
