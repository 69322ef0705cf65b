import { BatonError } from '@baton/protocol';
import { attach } from './task-edits/attach.ts';
import { connectFiles, setRules } from './commands/rules-and-files.ts';
import { initializeProject } from './commands/initialize-project.ts';
import { addSubtask, addSubtasks } from './commands/add-subtasks.ts';
import { addTask } from './commands/add-task.ts';
import { addTasks } from './commands/add-tasks.ts';
import { appendInfo } from './commands/append-info.ts';
import { type CommandResult, asJsonOutcome } from './model/command-result.ts';
import { addDependency, fixDependencies, removeDependency } from './commands/edit-dependencies.ts';
import { ParsedTasksFile, parseTasksFile } from './formats/tasks-file.ts';
import { moveTasksBetweenTags, moveTasksWithinTag } from './commands/move-tasks.ts';
import { DEFAULT_TAG, newProject, type Project } from './model/project.ts';
import { clearSubtasks, removeSubtasks } from './commands/remove-subtasks.ts';
import { removeTasks } from './commands/remove-tasks.ts';
import { mergeReport } from './commands/merge-report.ts';
import { setStatus, startNext } from './commands/set-status.ts';
import { addTag, deleteTag, renameTag, useTag } from './commands/edit-tags.ts';
import { TASK_LIMITS } from './model/task.ts';
import { updateTasks } from './commands/update-tasks.ts';

/** The reducer of each command. */
const REDUCERS = {
  add_tasks: (project: Project | undefined, command: Parameters<typeof addTasks>[1], now: string) => {
    const { project: after, added } = addTasks(project, command, now);
    return { project: after, outcome: asJsonOutcome(added) };
  },
  add_task: addTask,
  add_subtasks: addSubtasks,
  add_subtask: addSubtask,
  update_tasks: updateTasks,
  append_info: appendInfo,
  merge_report: mergeReport,
  set_status: (project: Project | undefined, command: Parameters<typeof setStatus>[1], now: string) => {
    const { project: after, ...outcome } = setStatus(project, command, now);
    return { project: after, outcome: asJsonOutcome(outcome) };
  },
  start_next: startNext,
  remove_tasks: removeTasks,
  remove_subtasks: removeSubtasks,
  clear_subtasks: clearSubtasks,
  move_tasks: moveTasksWithinTag,
  move_between_tags: moveTasksBetweenTags,
  add_dependency: addDependency,
  remove_dependency: removeDependency,
  fix_dependencies: fixDependencies,
  add_tag: addTag,
  rename_tag: renameTag,
  delete_tag: deleteTag,
  use_tag: useTag,
  initialize: initializeProject,
  set_rules: setRules,
  connect_files: connectFiles,
  attach,
  import: importFile,
} satisfies Readonly<Record<string, Reducer>>;

type Reducer = (project: Project | undefined, command: never, now: string) => CommandResult;
type SingleCommand = {
  [Name in keyof typeof REDUCERS]: { readonly command: Name } & Parameters<(typeof REDUCERS)[Name]>[1];
}[keyof typeof REDUCERS];

/**
 * A change to a project as data, carried by a `commit` effect. It is applied to the project as it is at the commit, not
 * as its author read it. Its fields are checked where they come in: in tools' arguments and in LLMs' answers.
 */
export type ProjectCommand =
  | SingleCommand
  /** Commands that change a project one after the other, all of them or none. */
  | { readonly command: 'sequence'; readonly commands: readonly SingleCommand[] };

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
  if (command.command === 'sequence') return inSequence(project, command.commands, now);
  const reduce: Reducer = REDUCERS[command.command];
  return reduce(project, command as never, now);
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

/**
 * Replaces the project's tags by those of a tasks.json, given as JSON or as a ParsedTasksFile. Rules, files and reports are
 * not in the file and stay, except reports of tags that are gone. The outcome's `replacedTasks`: how many tasks a project had that existed before.
 */
function importFile(
  project: Project | undefined,
  { file }: { readonly file: unknown },
  now: string,
): CommandResult {
  const { tags, repairs } = file instanceof ParsedTasksFile ? file : parseTasksFile(file, now);
  const wanted = [project?.currentTag, DEFAULT_TAG, ...tags.keys()];
  const currentTag = wanted.find((name) => name !== undefined && tags.has(name)) ?? DEFAULT_TAG;
  const taskCounts = Object.fromEntries([...tags].map(([name, { tasks }]) => [name, tasks.length]));
  const existing = project ?? newProject(currentTag);
  const reports = new Map([...existing.reports].filter(([name]) => tags.has(name)));
  const replacedTasks = project === undefined ? {} : { replacedTasks: tasksOf(project) };
  return {
    project: { ...existing, currentTag, tags, reports },
    outcome: asJsonOutcome({ currentTag, taskCounts, ...replacedTasks, repairs }),
  };
}
