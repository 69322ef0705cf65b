import type { ProjectCommand } from '@baton/operations';
import { BatonError, type JsonObject } from '@baton/protocol';
import { fieldCount, type Idempotency, type TenantStore } from '@baton/store';
import { changeProject } from './project-change.ts';

/** What a command did. */
export interface CommandOutcome {
  readonly outcome: JsonObject;
  /** True where a call with the same idempotency key did it before. */
  readonly replayed: boolean;
  /** How many fields of the stored project it has changed. */
  readonly changedFields: number;
}

/**
 * Commits a command that belongs to no task. With an idempotency key it lands once: the same key again returns the first
 * outcome. `first`: no earlier call is known that had the key, so only COMMIT looks for one. Errors as for `changeProject`; `idempotency_conflict` for the key of other arguments.
 */
export async function runCommand(
  tenant: TenantStore,
  name: string,
  command: ProjectCommand,
  idempotency?: Idempotency,
  { first = false } = {},
): Promise<CommandOutcome> {
  const { projects } = tenant;
  const known = !first && idempotency && (await projects.keptOutcome(idempotency));
  if (typeof known === 'string') return replay(known);
  try {
    let landed = '';
    let changedFields = 0;
    const outcome = await changeProject<'replayed'>(command, projects, name, async (before, change, made) => {
      changedFields = fieldCount(change);
      const kept = idempotency && { ...idempotency, outcome: JSON.stringify(made) };
      const reply = await projects.commit(name, before, change, kept);
      if (typeof reply === 'string') return reply;
      landed = reply.replayed;
      return 'replayed';
    });
    return outcome === 'replayed' ? replay(landed) : { outcome, replayed: false, changedFields };
  } catch (refusal) {
    if (!(refusal instanceof BatonError) || idempotency === undefined) throw refusal;
    // A call with the same key that ran beside this one may be what it was refused for.
    const landed = await projects.keptOutcome(idempotency);
    if (landed === undefined) throw refusal;
    return replay(landed);
  }
}

function replay(outcome: string): CommandOutcome {
  return { outcome: JSON.parse(outcome) as JsonObject, replayed: true, changedFields: 0 };
}
