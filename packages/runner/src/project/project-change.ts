import {
  applyCommand,
  type ChangedFields,
  changedProjectFieldsInSteps,
  type Command,
} from '@baton/operations';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { ProjectVersion } from '@baton/store';
import type { ProjectSnapshot } from './project-snapshot.ts';
import type { ProjectSnapshots } from './project-snapshots.ts';
import { runInSlices, TimeSlices } from './time-slices.ts';

/** How often a command is applied when other commits keep changing the project, before `project_conflict`. */
const ATTEMPTS = 50;

type CommitReply = 'committed' | 'conflict';

/**
 * Applies a command to a project and commits the result. It applies the command to what was read before first, and after a
 * conflict to the project as Redis has it, up to ATTEMPTS times. `commit` may end the attempts with a reply of its own.
 * Errors: those of the reducer, `project_conflict`.
 */
export async function changeProject<Own>(
  command: Command,
  projects: ProjectSnapshots,
  name: string,
  commit: (
    before: ProjectVersion | undefined,
    change: ChangedFields,
    outcome: JsonObject,
  ) => Promise<CommitReply | Own>,
): Promise<JsonObject | Own> {
  let isFresh = !projects.has(name);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const snapshot = isFresh ? projects.renew(name) : projects.get(name);
    let applied: { readonly outcome: JsonObject; readonly change: ChangedFields };
    try {
      applied = await applyToSnapshot(snapshot, command);
    } catch (refusal) {
      // A refusal counts only against the current project.
      if (isFresh) throw refusal;
      isFresh = true;
      continue;
    }
    const { version } = snapshot;
    const { change, outcome } = applied;
    const reply = await commit(version === undefined ? undefined : { version }, change, outcome);
    if (reply === 'committed') {
      snapshot.recordCommit(change);
      return outcome;
    }
    if (reply !== 'conflict') return reply as Own;
    isFresh = true;
  }
  throw new BatonError(
    'project_conflict',
    `The project changed ${ATTEMPTS} times while this command was applied. Nothing was changed; repeat the call.`,
  );
}

/** The command's outcome and what it changes. Reading goes on until neither has looked at what was not read. */
async function applyToSnapshot(
  snapshot: ProjectSnapshot,
  command: Command,
): Promise<{ outcome: JsonObject; change: ChangedFields }> {
  const slices = new TimeSlices();
  for (;;) {
    const { before, applied } = await snapshot.evaluate(
      (project) => ({ before: project, applied: applyCommand(project, command, new Date().toISOString()) }),
      (result) => result.applied.outcome,
    );
    const { stored } = snapshot;
    const isComplete = () => stored === undefined || stored.missing.size === 0;
    try {
      const change = await runInSlices(changedProjectFieldsInSteps(before, applied.project, stored), slices);
      if (isComplete()) return { outcome: applied.outcome, change };
    } catch (refusal) {
      if (isComplete()) throw refusal;
    }
    await snapshot.readMissing();
  }
}
