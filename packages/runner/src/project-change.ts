import { type CommandResult, applyCommand, changedProjectFields, type Command } from '@baton/operations';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { ProjectChange, TenantStore } from '@baton/store';
import { type VersionedProject, ProjectCache } from './project-cache.ts';

/** How often a command is applied when other commits keep changing the project, before `project_conflict`. */
const ATTEMPTS = 50;

type CommitReply = 'committed' | 'conflict';

/**
 * Applies a command to a project and commits the result. It applies the command to the cached project first, and after a
 * conflict to the project as Redis has it, up to ATTEMPTS times. `commit` may end the attempts with a reply of its own.
 * Errors: those of the reducer, `project_conflict`.
 */
export async function changeProject<Own>(
  command: Command,
  projects: ProjectCache,
  name: string,
  commit: (
    before: VersionedProject | undefined,
    change: ProjectChange,
    outcome: JsonObject,
  ) => Promise<CommitReply | Own>,
): Promise<JsonObject | Own> {
  let isFresh = !projects.has(name);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await (isFresh ? projects.refresh(name) : projects.get(name));
    let applied: CommandResult;
    try {
      applied = applyCommand(before?.project, command, new Date().toISOString());
    } catch (refusal) {
      // A refusal counts only against the current project.
      if (isFresh) throw refusal;
      isFresh = true;
      continue;
    }
    const reply = await commit(
      before,
      changedProjectFields(before?.project, applied.project),
      applied.outcome,
    );
    if (reply === 'committed') {
      projects.recordCommit(name, before, applied.project);
      return applied.outcome;
    }
    if (reply !== 'conflict') return reply as Own;
    isFresh = true;
  }
  throw new BatonError(
    'project_conflict',
    `The project changed ${ATTEMPTS} times while this command was applied. Nothing was changed; repeat the call.`,
  );
}

/** Commits a command that belongs to no task. Errors as for `changeProject`. */
export async function commitCommand(
  tenant: TenantStore,
  name: string,
  command: Command,
): Promise<JsonObject> {
  return changeProject<never>(
    command,
    new ProjectCache((project) => tenant.projects.read(project)),
    name,
    async (before, change) =>
      (await tenant.projects.commit(name, before, change)) ? 'committed' : 'conflict',
  );
}
