import { findDuplicates } from '../project/dependencies/find-duplicates.ts';
import {
  areTaskAndSubtask,
  buildGraph,
  dependencyLinks,
  findCycles,
} from '../project/dependencies/dependency-graph.ts';
import { type Project, tagNameSchema } from '../project/model/project.ts';
import { STATUSES } from '../project/model/status-and-priority.ts';
import { TASK_LIMITS } from '../project/model/task.ts';

/**
 * The violated invariants of a project, a line each; empty when all hold: the current tag exists, ids are unique,
 * dependencies are known, not doubled and without rings, statuses are of the one list. Every command keeps it so.
 */
export function findInvariantViolations(project: Project): string[] {
  const problems: string[] = [];
  if (!project.tags.has(project.currentTag))
    problems.push(`the current tag '${project.currentTag}' is missing`);
  for (const [name, { tasks }] of project.tags) {
    const say = (problem: string) => problems.push(`${name}: ${problem}`);
    if (!tagNameSchema.safeParse(name).success) say('the name is not one of a tag');
    if (tasks.length > TASK_LIMITS.tasksPerTag) say(`${tasks.length} tasks are too many`);
    for (const twice of findDuplicates(tasks.map(({ id }) => id))) say(`two tasks have id ${twice}`);
    for (const task of tasks) {
      for (const twice of findDuplicates(task.subtasks.map(({ id }) => id)))
        say(`two subtasks have id ${task.id}.${twice}`);
      for (const item of [task, ...task.subtasks]) {
        if (!STATUSES.includes(item.status)) say(`'${item.status}' of ${task.id} is no status`);
        for (const twice of findDuplicates(item.dependencies)) say(`${task.id} depends on ${twice} twice`);
      }
    }
    const links = dependencyLinks(tasks);
    for (const { from, dependency, to } of links) {
      if (to === undefined) say(`${from} depends on ${dependency}, which does not exist`);
      else if (areTaskAndSubtask(from, to))
        say(`${from} depends on ${to}, which holds it or is a part of it`);
    }
    for (const ring of findCycles(buildGraph(links))) say(`${ring.join(', ')} depend on each other`);
  }
  return problems;
}
