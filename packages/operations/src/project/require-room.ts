import { BatonError } from '@baton/protocol';
import type { Project } from './model/project.ts';
import { applyCommand, type ProjectCommand } from './command.ts';

/** The smallest task, or subtask, that an answer may give. */
export const LEAST_TASK = { title: '-', description: '-' };

/**
 * Refuses what no answer would have room for: applies `least`, the smallest command that an answer may give, and keeps nothing of it.
 * What else speaks against the command is for those who read and commit. Errors: `limit_size`.
 */
export function requireRoom(project: Project | undefined, least: ProjectCommand): void {
  try {
    applyCommand(project, least, new Date(0).toISOString());
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.code === 'limit_size') throw thrown;
  }
}
