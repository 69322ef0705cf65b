import {
  applyCommand,
  type ChangedFields,
  changedProjectFieldsInSteps,
  type ProjectCommand,
} from '@baton/operations';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { ProjectChange, Projects, ProjectVersion } from '@baton/store';
import type { ProjectSnapshot } from './project-snapshot.ts';
import { withSnapshot } from './shared-snapshot.ts';
import { runInSlices, TimeSlices } from './time-slices.ts';

/** So long a command waits for its turn and is tried again, in milliseconds, while others keep changing the project; `project_conflict` afterwards. */
const PATIENCE_MS = 20_000;

/** After so many conflicts a large change is written at once: others change the project faster than it is staged. */
const MOST_CONFLICTS_STAGED = 2;

/** After a second conflict it pauses for up to so long, at random. */
const MAX_PAUSE_MS = 2;

/** Of a commit's stamp, by which the tasks that it makes are told from others of their ids. */
const STAMP_BYTES = 6;

type CommitReply = 'committed' | 'conflict';

/**
 * Applies a command to a project and commits the result. Commands of one process are applied in the order of their calls, each to what
 * the one before it left; where another process has committed meanwhile, the command is applied to that, until PATIENCE_MS are over.
 * `commit` may end the tries with a reply of its own. Errors: those of the reducer, `project_conflict`.
 */
export async function changeProject<Own>(
  command: ProjectCommand,
  projects: Projects,
  name: string,
  commit: (
    before: ProjectVersion | undefined,
    change: ProjectChange,
    outcome: JsonObject,
  ) => Promise<CommitReply | Own>,
): Promise<JsonObject | Own> {
  const since = performance.now();
  const until = since + PATIENCE_MS;
  return withSnapshot(projects, name, async (snapshot) => {
    for (let conflicts = 0; performance.now() < until; ) {
      const isStale = snapshot.isRead && !snapshot.isCurrent(since);
      let applied: AppliedCommand;
      try {
        applied = await applyToSnapshot(snapshot, command, projects.now());
      } catch (refusal) {
        // A refusal counts only against the current project.
        if (!isStale) throw refusal;
        await snapshot.refresh(since);
        continue;
      }
      const { version, change, outcome } = applied;
      const sentAt = performance.now();
      const sent = conflicts < MOST_CONFLICTS_STAGED ? change : { ...change, atOnce: true };
      const reply = await commit(version === undefined ? undefined : { version }, sent, outcome);
      if (reply === 'committed') {
        snapshot.recordCommit(change, sentAt);
        return outcome;
      }
      if (reply !== 'conflict') return reply as Own;
      if (conflicts++ > 0) await sleep(Math.random() * MAX_PAUSE_MS);
      await snapshot.refresh(performance.now());
    }
    throw new BatonError(
      'project_conflict',
      `Others kept changing the project for ${PATIENCE_MS / 1_000} s while this command waited or was applied. Nothing was changed; repeat the call.`,
    );
  });
}

interface AppliedCommand {
  readonly version: string | undefined;
  readonly outcome: JsonObject;
  readonly change: ChangedFields;
}

/** The command's outcome and what it changes from which version. Reading goes on until neither has looked at what was not read. */
async function applyToSnapshot(
  snapshot: ProjectSnapshot,
  command: ProjectCommand,
  now: string,
): Promise<AppliedCommand> {
  const slices = new TimeSlices();
  const stamp = randomBytes(STAMP_BYTES).toString('base64url');
  for (;;) {
    const { before, applied } = await snapshot.evaluate(
      (project) => ({ before: project, applied: applyCommand(project, command, now) }),
      (result) => result.applied.outcome,
    );
    const { stored, version } = snapshot;
    const isComplete = () => stored === undefined || stored.missing.size === 0;
    try {
      const steps = changedProjectFieldsInSteps(before, applied.project, stamp, stored);
      const change = await runInSlices(steps, slices);
      if (isComplete()) return { version, outcome: applied.outcome, change };
    } catch (refusal) {
      if (isComplete()) throw refusal;
    }
    await snapshot.readMissing();
  }
}
