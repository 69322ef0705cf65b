import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { attach, attachCommandSchema } from './task-edits/attach.ts';
import { connectFiles, connectFilesCommandSchema } from './commands/connect-files.ts';
import { initializeProject, initializeCommandSchema } from './commands/initialize-project.ts';
import { setRules, setRulesCommandSchema } from './commands/set-rules.ts';
import {
  addSubtask,
  addSubtaskCommandSchema,
  addSubtasks,
  addSubtasksCommandSchema,
} from './commands/add-subtasks.ts';
import { addTask, addTaskCommandSchema } from './commands/add-task.ts';
import { addTasks, addTasksCommandSchema } from './commands/add-tasks.ts';
import { appendInfo, appendInfoCommandSchema } from './commands/append-info.ts';
import { type CommandResult, asJsonOutcome } from './model/command-result.ts';
import {
  addDependency,
  addDependencyCommandSchema,
  fixDependencies,
  fixDependenciesCommandSchema,
  removeDependency,
  removeDependencyCommandSchema,
} from './commands/edit-dependencies.ts';
import { ParsedTasksFile, parseTasksFile } from './formats/tasks-file.ts';
import {
  moveTasksBetweenTags,
  moveTasksBetweenTagsCommandSchema,
  moveTasksWithinTag,
  moveTasksWithinTagCommandSchema,
} from './commands/move-tasks.ts';
import { DEFAULT_TAG, newProject, type Project } from './model/project.ts';
import {
  clearSubtasks,
  clearSubtasksCommandSchema,
  removeSubtasks,
  removeSubtasksCommandSchema,
} from './commands/remove-subtasks.ts';
import { removeTasks, removeTasksCommandSchema } from './commands/remove-tasks.ts';
import { mergeReport, mergeReportCommandSchema } from './commands/merge-report.ts';
import { setStatus, setStatusCommandSchema } from './commands/set-status.ts';
import {
  addTag,
  addTagCommandSchema,
  deleteTag,
  deleteTagCommandSchema,
  renameTag,
  renameTagCommandSchema,
  useTag,
  useTagCommandSchema,
} from './commands/edit-tags.ts';
import { TASK_LIMITS } from './model/task.ts';
import { updateTasks, updateTasksCommandSchema } from './commands/update-tasks.ts';

/** Replaces the project's tags by those of a tasks.json, given as JSON or as a ParsedTasksFile. */
const importCommand = z.strictObject({ command: z.literal('import'), file: z.unknown() });

const singleCommandSchema = z.discriminatedUnion('command', [
  addTasksCommandSchema,
  addTaskCommandSchema,
  addSubtasksCommandSchema,
  addSubtaskCommandSchema,
  updateTasksCommandSchema,
  appendInfoCommandSchema,
  mergeReportCommandSchema,
  setStatusCommandSchema,
  removeTasksCommandSchema,
  removeSubtasksCommandSchema,
  clearSubtasksCommandSchema,
  moveTasksWithinTagCommandSchema,
  moveTasksBetweenTagsCommandSchema,
  addDependencyCommandSchema,
  removeDependencyCommandSchema,
  fixDependenciesCommandSchema,
  addTagCommandSchema,
  renameTagCommandSchema,
  deleteTagCommandSchema,
  useTagCommandSchema,
  initializeCommandSchema,
  setRulesCommandSchema,
  connectFilesCommandSchema,
  attachCommandSchema,
  importCommand,
]);

/** Commands that change a project one after the other, all of them or none. */
const sequenceCommand = z.strictObject({
  command: z.literal('sequence'),
  commands: z.array(singleCommandSchema).min(1).max(10),
});

/**
 * A change to a project as data, carried by a `commit` effect. It is applied to the project as it is at the commit, not
 * as its author read it.
 */
export const commandSchema = z.discriminatedUnion('command', [singleCommandSchema, sequenceCommand]);
export type ProjectCommand = z.infer<typeof commandSchema>;

/**
 * The project after a command; `undefined` is one that does not exist yet. Pure: the caller stores the result under a
 * compare-and-set on the version of `project`, and applies the command again on a conflict.
 *
 * @param now ISO 8601; it becomes the tag's `updated`
 * @throws BatonError as its reducer says; then nothing is to be stored.
 */
export function applyCommand(
  project: Project | undefined,
  command: ProjectCommand,
  now: string,
): CommandResult {
  const applied = reduced(project, command, now);
  const count = tasksOf(applied.project);
  if (count > TASK_LIMITS.tasksPerProject && count > tasksOf(project)) throw tooManyTasks(count);
  return applied;
}

/** Counted over all tags: a project is read and written whole. */
function tasksOf(project: Project | undefined): number {
  let count = 0;
  for (const { tasks } of project?.tags.values() ?? []) count += tasks.length;
  return count;
}

function tooManyTasks(count: number): BatonError {
  const { tasksPerProject } = TASK_LIMITS;
  return new BatonError(
    'limit_size',
    `The tags of a project may hold ${tasksPerProject} tasks in all; these would be ${count}. Use another project.`,
    { limit: 'tasksPerProject', most: tasksPerProject },
  );
}

function reduced(project: Project | undefined, command: ProjectCommand, now: string): CommandResult {
  switch (command.command) {
    case 'add_tasks': {
      const { project: after, added } = addTasks(project, command, now);
      return { project: after, outcome: asJsonOutcome(added) };
    }
    case 'set_status': {
      const { project: after, tag, updated } = setStatus(project, command, now);
      return { project: after, outcome: asJsonOutcome({ tag, updated }) };
    }
    case 'add_task':
      return addTask(project, command, now);
    case 'add_subtasks':
      return addSubtasks(project, command, now);
    case 'add_subtask':
      return addSubtask(project, command, now);
    case 'update_tasks':
      return updateTasks(project, command, now);
    case 'append_info':
      return appendInfo(project, command, now);
    case 'merge_report':
      return mergeReport(project, command, now);
    case 'remove_tasks':
      return removeTasks(project, command, now);
    case 'remove_subtasks':
      return removeSubtasks(project, command, now);
    case 'clear_subtasks':
      return clearSubtasks(project, command, now);
    case 'move_tasks':
      return moveTasksWithinTag(project, command, now);
    case 'move_between_tags':
      return moveTasksBetweenTags(project, command, now);
    case 'add_dependency':
      return addDependency(project, command, now);
    case 'remove_dependency':
      return removeDependency(project, command, now);
    case 'fix_dependencies':
      return fixDependencies(project, command, now);
    case 'add_tag':
      return addTag(project, command, now);
    case 'rename_tag':
      return renameTag(project, command, now);
    case 'delete_tag':
      return deleteTag(project, command);
    case 'use_tag':
      return useTag(project, command);
    case 'initialize':
      return initializeProject(project, command, now);
    case 'set_rules':
      return setRules(project, command);
    case 'connect_files':
      return connectFiles(project, command, now);
    case 'sequence':
      return inSequence(project, command.commands, now);
    case 'attach':
      return attach(project, command, now);
    case 'import':
      return importFile(project, command.file, now);
  }
}

/** The outcome holds those of the commands, in their order. */
function inSequence(
  before: Project | undefined,
  commands: readonly ProjectCommand[],
  now: string,
): CommandResult {
  let project = before;
  const outcomes: object[] = [];
  for (const command of commands) {
    const applied = reduced(project, command, now);
    project = applied.project;
    outcomes.push(applied.outcome);
  }
  return { project: project as Project, outcome: asJsonOutcome({ outcomes }) };
}

/** Replaces the tags. Rules, files and reports are not in the file and stay, except reports of tags that are gone. */
function importFile(project: Project | undefined, file: unknown, now: string): CommandResult {
  const { tags, repairs } = file instanceof ParsedTasksFile ? file : parseTasksFile(file, now);
  const wanted = [project?.currentTag, DEFAULT_TAG, ...tags.keys()];
  const currentTag = wanted.find((name) => name !== undefined && tags.has(name)) ?? DEFAULT_TAG;
  const taskCounts = Object.fromEntries([...tags].map(([name, { tasks }]) => [name, tasks.length]));
  const existing = project ?? newProject(currentTag);
  const reports = new Map([...existing.reports].filter(([name]) => tags.has(name)));
  return {
    project: { ...existing, currentTag, tags, reports },
    outcome: asJsonOutcome({ currentTag, taskCounts, repairs }),
  };
}
