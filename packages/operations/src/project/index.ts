/**
 * The project: its shape (`project`, `task`, `status-and-priority`, `task-id`), what may change it (`command` and the
 * reducer of each command, over `task-edits`), and its two written forms: claude-task-master's file (`tasks-file`) and
 * stored fields (`stored-fields`). `dependency-graph` finds cycles of dependencies, `project-invariants` what must hold
 * after every command.
 */
export {
  type ProjectMetadata,
  projectMetadataSchema,
  projectRulesSchema,
  languageSchema,
  METADATA_LIMITS,
  type ConnectedFile,
  fileNameSchema,
} from './model/project-metadata.ts';
export {
  type Attachment,
  ATTACHMENT_LIMITS,
  attachmentsOf,
  attachmentViewSchema,
  withoutAttachmentBodies,
} from './model/attachment.ts';
export { requireAttachment } from './task-edits/attach.ts';
export { listConnectedFiles, requireConnectedFile } from './model/require-existing.ts';
export { firstTaskSchema, MAX_FIRST_TASKS } from './commands/initialize-project.ts';
export { MAX_SUBTASKS_PER_ANSWER } from './commands/add-subtasks.ts';
export { tagNotEmptyError, taskDoneError, taskRemovedError } from './model/project-errors.ts';
export type { CommandResult } from './model/command-result.ts';
export { applyCommand, type ProjectCommand } from './command.ts';
export { LEAST_TASK, requireRoom } from './require-room.ts';
export { type DependencyIssue, findDependencyIssues } from './dependencies/find-dependency-issues.ts';
export {
  ParsedTasksFile,
  parseTasksFileInSteps,
  parseTasksFile,
  tasksFileInSteps,
} from './formats/tasks-file.ts';
export {
  allItemIds,
  dependencyLinks,
  existingItems,
  resolveDependency,
} from './dependencies/dependency-graph.ts';
export { nothingReadyMessage } from './dependencies/nothing-ready.ts';
export { isOpen, nextReadyItem, taskItemView } from './dependencies/ready-items.ts';
export { type GeneratedSubtask, plannedSubtaskSchema } from './model/generated-subtask.ts';
export { MAX_TASKS_PER_ANSWER, generatedTaskSchema, plannedTaskSchema } from './model/generated-task.ts';
export { type SeenItems, seenItem, seenItems, seenTasks, seenTasksAndSubtasks } from './model/item-uid.ts';
export * from './model/require-existing.ts';
export * from './model/project.ts';
export type { ChangedFields } from './formats/changed-fields.ts';
export { changedProjectFieldsInSteps } from './formats/stored-fields.ts';
export { ProjectFields } from './formats/project-fields.ts';
export { INITIAL_FIELDS } from './formats/field-names.ts';
export { isUnread, needWhole, storedLength } from './formats/unread.ts';
export {
  type TaskAnalysis,
  type ComplexityReport,
  complexityReportSchema,
  DEFAULT_COMPLEXITY_SCORE,
  DEFAULT_SUBTASK_COUNT,
  MAX_RECOMMENDED_SUBTASKS,
} from './model/complexity-report.ts';
export { parseTaskRefs } from './model/task-id.ts';
export { parseDependencyIds } from './task-edits/item-refs.ts';
export {
  PRIORITIES,
  type Priority,
  prioritySchema,
  parseStatus,
  STATUSES,
  type Status,
  statusSchema,
} from './model/status-and-priority.ts';
export { findTask, type Subtask, type Task, TASK_LIMITS, taskFinder, taskIdsOf } from './model/task.ts';
export {
  CUT_FIELDS,
  type IgnoredStatus,
  type IgnoredText,
  listRemarks,
  MAX_LISTED,
  remarkFields,
  type Remarks,
  remarksNote,
  statusesOfNewItems,
} from './model/remarks.ts';
export { taskMetadataSchema } from './model/task-metadata.ts';
export { type ProjectTaskUpdate, type SubtaskUpdate, taskUpdateSchema } from './task-edits/task-update.ts';
export { type Dependency, formatTaskRef, parseTaskRef, type TaskRef } from './model/task-id.ts';
