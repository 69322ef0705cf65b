import {
  type Applied,
  applyCommand,
  changedFields,
  type Command,
  fromFields,
  type Project,
  readingTasksFile,
} from '@baton/operations';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { ProjectChange, Tenant } from '@baton/store';
import { type HeldProject, HeldProjects } from './held-projects.ts';

/** How often a command is applied anew when the project moves on meanwhile, before the call gives up. */
const ATTEMPTS = 50;

type Landed = 'committed' | 'conflict';

/**
 * Applies a command to a project as it is then: on what is held of it, and when that turns out to be old on what it is
 * now, again and again while others commit in between. `commit` may also end the attempts with an outcome of its own.
 * Errors: what the reducer refuses with, `project_conflict`.
 */
export async function changeProject<Own>(
  command: Command,
  projects: HeldProjects,
  name: string,
  commit: (
    before: HeldProject | undefined,
    change: ProjectChange,
    outcome: JsonObject,
  ) => Promise<Landed | Own>,
): Promise<JsonObject | Own> {
  let fresh = !projects.holds(name);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await (fresh ? projects.getNow(name) : projects.get(name));
    let applied: Applied;
    try {
      applied = applyCommand(before?.project, command, new Date().toISOString());
    } catch (refusal) {
      // What is refused is refused because of how things are, not of how they were.
      if (fresh) throw refusal;
      fresh = true;
      continue;
    }
    const landed = await commit(before, changedFields(before?.project, applied.project), applied.outcome);
    if (landed === 'committed') {
      projects.put(name, before, applied.project);
      return applied.outcome;
    }
    if (landed !== 'conflict') return landed as Own;
    fresh = true;
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
    new HeldProjects((project) => tenant.projects.read(project)),
    name,
    async (before, change) =>
      (await tenant.projects.commit(name, before, change)) ? 'committed' : 'conflict',
  );
}

/** How long a file is read before others have their turn, in milliseconds. */
const READ_MS = 10;

/** Puts a whole tasks.json in the place of a project's tags. Errors as for `changeProject`. */
export async function importProject(tenant: Tenant, name: string, file: unknown): Promise<JsonObject> {
  const reading = readingTasksFile(file, new Date().toISOString());
  let turn = reading.next();
  for (let since = performance.now(); !turn.done; turn = reading.next()) {
    if (performance.now() - since < READ_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  return commitCommand(tenant, name, { command: 'import', file: turn.value });
}

/** The project as it is now, or undefined. */
export async function readProject(tenant: Tenant, name: string): Promise<Project | undefined> {
  const stored = await tenant.projects.read(name);
  return stored && fromFields(stored.fields);
}
