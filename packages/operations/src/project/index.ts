/**
 * The project: its shape (`project`, `task`, `status`, `task-id`), what may change it (`command` and the reducer of
 * each command), and its two written forms: claude-task-master's file (`file`) and stored fields (`record`).
 * `graph` finds rings of dependencies, `invariants` says what must hold after everything.
 */
export {
  type About,
  about,
  ABOUT_LIMITS,
  type ConnectedFile,
  fileName,
  listFiles,
  requireFile,
} from './about.ts';
export { MAX_NEW_SUBTASKS, taskDone } from './add-subtasks.ts';
export type { Applied } from './applied.ts';
export { applyCommand, type Command, commandSchema } from './command.ts';
export { type DependencyIssue, dependencyIssues } from './dependencies.ts';
export { ParsedFile, readingTasksFile, readTasksFile, toTasksFile } from './file.ts';
export { knownIds, resolveDependency } from './graph.ts';
export { checkInvariants } from './invariants.ts';
export { newSubtask } from './new-subtask.ts';
export { MAX_NEW_TASKS, newTask } from './new-task.ts';
export * from './project.ts';
export { type ChangedFields, changedFields, fromFields, toFields } from './record.ts';
export {
  type Analysis,
  analysis,
  type ComplexityReport,
  complexityReport,
  DEFAULT_SCORE,
  DEFAULT_SUBTASKS,
  MAX_RECOMMENDED,
} from './report.ts';
export { parseTaskRefs, type StatusChange } from './set-status.ts';
export { PRIORITIES, type Priority, priority, readStatus, STATUSES, type Status, status } from './status.ts';
export { type Subtask, type Task, TASK_LIMITS } from './task.ts';
export { taskUpdate } from './task-update.ts';
export { type Dependency, formatTaskRef, parseTaskRef, type TaskRef } from './task-id.ts';
