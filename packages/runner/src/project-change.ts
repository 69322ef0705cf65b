import {
  type Applied,
  applyCommand,
  changedFields,
  type Command,
  fromFields,
  type Project,
} from '@baton/operations';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { ProjectChange, StoredProject, Tenant } from '@baton/store';

/** How often a command is applied anew when the project moves on meanwhile, before the call gives up. */
const ATTEMPTS = 50;

type Landed = 'committed' | 'conflict';

/**
 * Applies a command to a project as it is then: reads it, runs the reducer, and commits against the version that was
 * read, again and again while others commit in between. `commit` may also end the attempts with an outcome of its own.
 * Errors: what the reducer refuses with, `project_conflict`.
 */
export async function changeProject<Own>(
  command: Command,
  read: () => Promise<StoredProject | undefined>,
  commit: (
    before: StoredProject | undefined,
    change: ProjectChange,
    outcome: JsonObject,
  ) => Promise<Landed | Own>,
): Promise<JsonObject | Own> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await read();
    const before = stored && fromFields(stored.fields);
    const { project, outcome }: Applied = applyCommand(before, command, new Date().toISOString());
    const landed = await commit(stored, changedFields(before, project), outcome);
    if (landed === 'committed') return outcome;
    if (landed !== 'conflict') return landed as Own;
  }
  throw new BatonError(
    'project_conflict',
    `The project changed ${ATTEMPTS} times while this command was applied. Nothing was changed; repeat the call.`,
  );
}

/** A command from outside any task. Errors as for `changeProject`. */
export async function commitCommand(tenant: Tenant, name: string, command: Command): Promise<JsonObject> {
  return changeProject<never>(
    command,
    () => tenant.projects.read(name),
    async (before, change) =>
      (await tenant.projects.commit(name, before, change)) ? 'committed' : 'conflict',
  );
}

/** The project as it is now, or undefined. */
export async function readProject(tenant: Tenant, name: string): Promise<Project | undefined> {
  const stored = await tenant.projects.read(name);
  return stored && fromFields(stored.fields);
}
