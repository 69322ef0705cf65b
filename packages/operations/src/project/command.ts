import type { JsonObject } from '@baton/protocol';
import { z } from 'zod';
import { addTasks, addTasksCommand } from './add-tasks.ts';
import { readTasksFile } from './file.ts';
import { DEFAULT_TAG, type Project } from './project.ts';
import { setStatus, setStatusCommand } from './set-status.ts';

/** Puts a whole tasks.json, already parsed as JSON, in the place of the project. */
const importCommand = z.strictObject({ command: z.literal('import'), file: z.unknown() });

/**
 * A change to a project as data: applied to the project as it is then, not to what its author once read. What a
 * `commit` effect carries is read with it.
 */
export const commandSchema = z.discriminatedUnion('command', [
  addTasksCommand,
  setStatusCommand,
  importCommand,
]);
export type Command = z.infer<typeof commandSchema>;

export interface Applied {
  readonly project: Project;
  /** What the author of the command gets back; it is journaled. */
  readonly outcome: JsonObject;
}

/**
 * The project after a command; `undefined` stands for one that does not exist yet. Pure: whoever stores the result
 * must fence it by the version of `project` that it read, and apply again on a conflict.
 *
 * @param now ISO 8601; it becomes the tag's `updated`
 * @throws BatonError `tag_not_empty`, `project_not_found`, `tag_not_found`, `project_task_not_found`,
 *   `dependency_cycle`, `invalid_arguments`, `limit_size`; then nothing is to be stored.
 */
export function applyCommand(project: Project | undefined, command: Command, now: string): Applied {
  switch (command.command) {
    case 'add_tasks': {
      const { project: after, added } = addTasks(project, command, now);
      return { project: after, outcome: asOutcome(added) };
    }
    case 'set_status': {
      const { project: after, tag, updated } = setStatus(project, command, now);
      return { project: after, outcome: asOutcome({ tag, updated }) };
    }
    case 'import':
      return importFile(project, command.file, now);
  }
}

function importFile(project: Project | undefined, file: unknown, now: string): Applied {
  const { tags, droppedDependencies } = readTasksFile(file, now);
  const wanted = [project?.currentTag, DEFAULT_TAG, ...tags.keys()];
  const currentTag = wanted.find((name) => name !== undefined && tags.has(name)) ?? DEFAULT_TAG;
  const taskCounts = Object.fromEntries([...tags].map(([name, { tasks }]) => [name, tasks.length]));
  return {
    project: { ...project, currentTag, tags },
    outcome: asOutcome({ currentTag, taskCounts, droppedDependencies }),
  };
}

/** What a reducer gives back is made of JSON, which its types with unknown extra fields cannot say. */
function asOutcome(outcome: object): JsonObject {
  return outcome as JsonObject;
}
