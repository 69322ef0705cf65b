import { BatonError } from '@baton/protocol';
import { refuseLongTask, refuseTooManySubtasks } from './formats/field-limits.ts';
import { countSubtasks } from './formats/project-fields.ts';
import type { Project, Tag } from './model/project.ts';
import { differingTasks } from './model/task.ts';
import { applyCommand, type ProjectCommand } from './command.ts';

/** The smallest task, or subtask, that an answer may give. */
export const LEAST_TASK = { title: '-', description: '-' };

/**
 * Refuses what no answer would have room for: applies `least`, the smallest command that an answer may give, and keeps nothing of it.
 * What else speaks against the command is for those who read and commit. Errors: `limit_size`.
 */
export function requireRoom(project: Project | undefined, least: ProjectCommand): void {
  try {
    const after = applyCommand(project, least, new Date(0).toISOString()).project;
    for (const [name, tag] of after.tags) requireRoomInTag(name, project?.tags.get(name), tag);
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.code === 'limit_size') throw thrown;
  }
}

/** What a commit refuses as well, of the tasks that a command has changed. */
function requireRoomInTag(name: string, was: Tag | undefined, tag: Tag): void {
  if (was === undefined || was === tag) return;
  const { before, after } = differingTasks(was.tasks, tag.tasks);
  const kept = new Set(before);
  for (const task of after) {
    if (kept.has(task)) continue;
    const old = before.find(({ id }) => id === task.id);
    refuseLongTask(task.id, JSON.stringify(task).length, old);
    // To count those of the others their index is read.
    if (task.subtasks.length <= (old?.subtasks.length ?? 0)) continue;
    const has = countSubtasks(was.tasks);
    refuseTooManySubtasks(name, has + task.subtasks.length - (old?.subtasks.length ?? 0), has);
  }
}
