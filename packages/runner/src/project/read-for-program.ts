import type { Effect, Entry } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import type { Projects } from '@baton/store';
import { readProject } from './read-project.ts';

type Read = Extract<Effect, { kind: 'read' }>;

/**
 * What a program's `select` makes of a project as it was at `since` or later, for the journal; a `BatonError` that it throws is the
 * outcome. Errors: what another run may mend (`unavailable`, `project_conflict`).
 */
export async function readForProgram(
  projects: Projects,
  { project, select }: Read,
  since: number,
): Promise<Entry> {
  try {
    const value = await readProject(
      projects,
      project,
      (found, limits) => select(found as never, limits),
      since,
    );
    return { kind: 'read', ok: true, value };
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.row.repeat) throw thrown;
    return { kind: 'read', ok: false, error: thrown.toWire() };
  }
}
