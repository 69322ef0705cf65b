/**
 * The project: its shape (`project`, `task`, `status`, `task-id`), what may change it (`command` and the reducer of
 * each command), and its two written forms: claude-task-master's file (`file`) and stored fields (`record`).
 * `graph` finds rings of dependencies, `invariants` says what must hold after everything.
 */
export {
  type ProjectMetadata,
  projectMetadata,
  METADATA_LIMITS,
  type ConnectedFile,
  fileName,
} from './model/project-metadata.ts';
export { listFiles, requireFile } from './model/lookup.ts';
export { MAX_NEW_SUBTASKS, taskDoneError } from './commands/add-subtasks.ts';
export type { CommandResult } from './commands/command-result.ts';
export { applyCommand, type Command, commandSchema } from './command.ts';
export { type DependencyIssue, dependencyIssues } from './commands/edit-dependencies.ts';
export {
  ParsedTasksFile,
  parseTasksFileInSteps,
  parseTasksFile,
  formatTasksFile,
} from './formats/tasks-file.ts';
export { allItemIds, resolveDependency } from './dependencies/dependency-graph.ts';
export { checkInvariants } from './dependencies/invariants.ts';
export { newSubtask } from './model/new-subtask.ts';
export { MAX_NEW_TASKS, newTask } from './model/new-task.ts';
export * from './model/lookup.ts';
export * from './model/project.ts';
export { type ChangedFields, changedFields, fromFields, toFields } from './formats/stored-fields.ts';
export {
  type Analysis,
  analysis,
  type ComplexityReport,
  complexityReport,
  DEFAULT_SCORE,
  DEFAULT_SUBTASKS,
  MAX_RECOMMENDED,
} from './model/complexity-report.ts';
export { parseTaskRefs } from './model/task-id.ts';
export { type StatusChange } from './commands/set-status.ts';
export {
  PRIORITIES,
  type Priority,
  priority,
  readStatus,
  STATUSES,
  type Status,
  status,
} from './model/status.ts';
export { type Subtask, type Task, TASK_LIMITS } from './model/task.ts';
export { taskUpdate } from './model/task-update.ts';
export { type Dependency, formatTaskRef, parseTaskRef, type TaskRef } from './model/task-id.ts';
