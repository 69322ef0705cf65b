import { applyAnsweredCommand, applyProjectCommand, type Program } from '@baton/engine';
import type { Json } from '@baton/protocol';
import type { ProjectCommand } from '../project/index.ts';

/** Applies a command to a project, exactly once; gives back its outcome. Errors: those of its reducer. */
export function commit<T>(projectRoot: string, command: ProjectCommand): Program<T> {
  return applyProjectCommand<T>(projectRoot, command as unknown as Json);
}

/** As `commit`, for what an LLM's answer gave: where there is no room for it, it is tried again for an hour. */
export function commitWhenThereIsRoom<T>(projectRoot: string, command: ProjectCommand): Program<T> {
  return applyAnsweredCommand<T>(projectRoot, command as unknown as Json);
}
