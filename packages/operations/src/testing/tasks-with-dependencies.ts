import type { Project } from '../project/index.ts';
import { projectWithTasks } from './run-operation-in-memory.ts';

/** Tasks and subtasks that depend on each other. */
export const plan = () =>
  projectWithTasks([
    { id: 1, subtasks: [{ id: 1 }, { id: 2, dependencies: [1] }, { id: 3, dependencies: [2, 5] }] },
    { id: 2, dependencies: [1, '1.2'] },
    { id: 3, dependencies: [2] },
    { id: 5 },
  ]);
/** The dependencies of each task and subtask of a tag, as they are written, by its outside id. */
export const links = (project: Project | undefined, tag = 'master') =>
  Object.fromEntries(
    (project?.tags.get(tag)?.tasks ?? []).flatMap((task) => [
      [`${task.id}`, task.dependencies],
      ...task.subtasks.map((part) => [`${task.id}.${part.id}`, part.dependencies]),
    ]),
  );
