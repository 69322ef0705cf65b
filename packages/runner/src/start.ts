import { advance } from '@baton/engine';
import type { Operation } from '@baton/operations';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { Caller, PendingInteraction, Tenant } from '@baton/store';
import { interactionId } from '@baton/protocol';
import type { Programs } from './programs.ts';
import { HeldProjects } from './held-projects.ts';
import { unlessOversized } from './oversized.ts';
import { Recording } from './recording.ts';
import { isImmediate, waitsOf } from './waits.ts';

/** How a call of an operation began. */
export type Started =
  /** Parked: what waits for the agent, in the order in which the program asked. */
  | { readonly kind: 'parked'; readonly taskId: string; readonly pending: readonly PendingInteraction[] }
  /** The task goes on without the caller (a repeat of an earlier call, or work for a worker): read how it stands. */
  | { readonly kind: 'going'; readonly taskId: string }
  /** Done without anyone's help; there was no need for a task. */
  | { readonly kind: 'completed'; readonly result: JsonObject };

/**
 * Runs the first segment of an operation where the call came in, up to the first thing that it cannot have at once,
 * and parks it there: one round trip to Redis, which also admits the caller.
 * Of its versions it is the newest one that a live worker has, so that no task is left that nobody can go on with.
 * Errors: what the program refuses with, `program_unavailable`, and every refusal of OPEN.
 */
export async function startOperation(
  programs: Programs,
  tenant: Tenant,
  caller: Caller,
  named: Operation,
  input: JsonObject,
  idempotency?: { key: string; arguments: string },
): Promise<Started> {
  if (idempotency !== undefined) {
    // Before the program looks at the world, which its own first run may have changed.
    const taskId = await tenant.tasks.known(idempotency);
    if (taskId !== undefined) return { kind: 'going', taskId };
  }
  const operation = programs.startable(named, await tenant.programs());
  const recording = new Recording();
  const projects = new HeldProjects((name) => tenant.projects.read(name));
  for (;;) {
    const step = advance(operation, input, recording.journal);
    if (step.status === 'completed') return { kind: 'completed', result: step.result };
    if (step.status === 'failed') throw asThrown(step.thrown, step.error);
    recording.collapse(step.collapsed);

    const read = step.awaited.find(({ effect }) => effect.kind === 'read');
    if (read?.effect.kind === 'read') {
      await caller.admit(['mcp']);
      const select = read.effect.select as (project: unknown) => unknown;
      const outcome = await projects.select(read.effect.project, select);
      recording.add(read.path, { kind: 'read', ...outcome });
      continue;
    }

    const waits = waitsOf(step.awaited, new Set(), 0);
    const opened = await unlessOversized(recording, waits, () =>
      tenant.tasks.open(caller, {
        operation: operation.name,
        version: operation.version,
        input,
        journal: recording.toSave.journal,
        waits,
        ready: step.awaited.some(({ effect }) => isImmediate(effect)),
        idempotency,
      }),
    );
    if (opened === undefined) continue;
    if (!opened.created || waits.length === 0) return { kind: 'going', taskId: opened.taskId };
    const { taskId, createdAt } = opened;
    const expiresAt = createdAt + Math.min(tenant.lifetimes.interaction, tenant.lifetimes.task);
    const pending: PendingInteraction[] = [];
    for (const wait of waits) {
      if (wait.kind === 'sleep') continue;
      const { request } = wait;
      pending.push({
        interactionId: interactionId(taskId, pending.length + 1),
        createdAt,
        expiresAt,
        request,
      });
    }
    return { kind: 'parked', taskId, pending };
  }
}

/** A refusal as the program threw it; anything else is a bug of the program, whose stack belongs in the log. */
function asThrown(thrown: unknown, error: { code: string; message: string }): unknown {
  return thrown instanceof BatonError || thrown instanceof Error ? thrown : BatonError.fromWire(error);
}
