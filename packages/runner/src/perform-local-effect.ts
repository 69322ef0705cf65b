import { formatEntry, type Outcome } from '@baton/engine';
import type { ProjectCommand } from '@baton/operations';
import { BatonError } from '@baton/protocol';
import { beginTurn, endTurn } from './conversation-effects.ts';
import { changeProject } from './project/project-change.ts';
import { readForProgram } from './project/read-for-program.ts';
import { performLookup } from './perform-lookup.ts';
import type { LocalEffect } from './local-effect.ts';
import { type SegmentContext, StaleSegmentError } from './segment-context.ts';

/**
 * Performs an effect that needs no wait and adds its outcome to the journal. Errors: `StaleSegment` when another run has the
 * task; what another run may mend (`unavailable`, `project_conflict`, `limit_checks`).
 */
export async function performLocalEffect(
  context: SegmentContext,
  path: string,
  effect: LocalEffect,
): Promise<void> {
  switch (effect.kind) {
    case 'read':
      context.journal.add(path, await readForProgram(context.segment.projects, effect, context.beganAt));
      return;
    case 'lookup':
      context.journal.add(path, { kind: 'lookup', ...(await performLookup(context.segment, effect.of)) });
      return;
    case 'check':
      context.journal.add(path, { kind: 'check', ...(await checkAnswer(context, effect)) });
      return;
    case 'turn':
      return beginTurn(context, path, effect.conversation);
    case 'append':
      return endTurn(context, path, effect);
    case 'commit':
      return commit(context, path, effect.project, effect.command as ProjectCommand);
  }
}

async function checkAnswer(
  { validator, segment }: SegmentContext,
  { schema, data }: Extract<LocalEffect, { kind: 'check' }>,
): Promise<Outcome> {
  try {
    return { ok: true, value: await validator.validateAnswer(segment.tenant, schema, data) };
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.row.repeat) throw thrown;
    return { ok: false, error: thrown.toWire() };
  }
}

async function commit(
  { segment, journal }: SegmentContext,
  path: string,
  project: string,
  command: ProjectCommand,
): Promise<void> {
  const unsaved = journal.pendingWrite.journal;
  let committed: string | undefined;
  try {
    await changeProject<'journaled'>(command, segment.projects, project, async (before, change, outcome) => {
      const entry = formatEntry({ kind: 'commit', ok: true, value: outcome });
      committed = entry;
      const reply = await segment.commit(project, before, change, { path, entry, journal: unsaved });
      if (reply === 'stale') throw new StaleSegmentError();
      if (typeof reply === 'string') return reply;
      committed = reply.journaled;
      return 'journaled';
    });
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.row.repeat) throw thrown;
    journal.add(path, { kind: 'commit', ok: false, error: thrown.toWire() });
    return;
  }
  if (committed !== undefined) journal.addCommitted(path, committed);
}
