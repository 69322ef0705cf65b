import { ProgramRun } from '@baton/engine';
import type { Operation } from '@baton/operations';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { CallerAdmission, Idempotency, PendingInteraction, TenantStore } from '@baton/store';
import type { Programs } from './programs.ts';
import { openWaitsOrFailOversized } from './open-waits.ts';
import { SegmentJournal } from './segment-journal.ts';
import { isLocalEffect, performLookup, performRead } from './perform-local-effect.ts';
import { collectWaits } from './collect-waits.ts';

/** The outcome of the first segment. */
export type StartResult =
  /** Parked with these requests for the agent, in the order in which the program made them. */
  | {
      readonly kind: 'parked';
      readonly taskId: string;
      readonly createdAt: number;
      readonly pending: readonly PendingInteraction[];
    }
  /** A worker runs the task, or an earlier call with the same idempotency key started it: read the task's status. */
  | {
      readonly kind: 'running';
      readonly taskId: string;
      /** It waits for nothing but a worker, where it ends or asks soon. */
      readonly isReady?: boolean;
    };

/**
 * Runs the first segment of an operation in the gateway, up to the first wait, and opens its task there: one call to
 * Redis, OPEN, which also admits the caller; a project read, a lookup and the search for the idempotency key are one more each; agents are mostly known (agent-definition-cache.ts), and
 * only the admission before them is one more.
 * It starts the newest version that a live worker has, so that a worker can resume the task.
 * Errors: those of the program, `program_unavailable`, and every refusal of OPEN.
 */
export async function runFirstSegment(
  programs: Programs,
  tenant: TenantStore,
  caller: CallerAdmission,
  named: Operation,
  input: JsonObject,
  idempotency?: Idempotency,
): Promise<StartResult> {
  if (idempotency !== undefined) {
    // Before the program reads the project: its own first run may have changed it.
    const taskId = await tenant.tasks.findByIdempotencyKey(idempotency);
    if (taskId !== undefined) return { kind: 'running', taskId };
  }
  const operation = programs.newestRunnable(named, await tenant.livePrograms());
  const journal = new SegmentJournal();
  const beganAt = performance.now();
  const run = new ProgramRun(operation, input, journal.entries);
  for (;;) {
    const step = run.next();
    if (step.status === 'failed') throw refusalOf(step.thrown, step.error);
    if (step.status !== 'completed') journal.collapse(step.collapsed);

    // What waits for nothing is a task like any other: a worker replays it over its journal, and ends it.
    const awaited = step.status === 'completed' ? [] : step.awaited;
    const read = awaited.find(({ effect }) => effect.kind === 'read');
    if (read?.effect.kind === 'read') {
      await caller.admit(['mcp']);
      journal.add(read.path, { kind: 'read', ...(await performRead(tenant.projects, read.effect, beganAt)) });
      continue;
    }
    const lookup = awaited.find(({ effect }) => effect.kind === 'lookup');
    if (lookup?.effect.kind === 'lookup') {
      await caller.admit(['mcp']);
      const source = { agents: tenant.agentsFor(caller), prompts: tenant.prompts, roles: tenant.roles };
      journal.add(lookup.path, { kind: 'lookup', ...(await performLookup(source, lookup.effect.of)) });
      continue;
    }

    const asked = collectWaits(awaited, new Set(), 0);
    const opened = await openWaitsOrFailOversized(journal, tenant.roles, asked, (waits) =>
      tenant.tasks.open(caller, {
        operation: operation.name,
        version: operation.version,
        input,
        changes: operation.addsTo?.(input),
        journal: journal.pendingWrite.journal,
        waits,
        ready: awaited.length === 0 || awaited.some(({ effect }) => isLocalEffect(effect)),
        idempotency,
      }),
    );
    if (opened === undefined) continue;
    if (!opened.created) return { kind: 'running', taskId: opened.taskId };
    if (asked.length === 0) return { kind: 'running', taskId: opened.taskId, isReady: true };
    // What only waits for endpoints goes on by itself, and soon.
    const isAsked = opened.pending.length > 0 || asked.every(({ kind }) => kind === 'sleep');
    if (!isAsked) return { kind: 'running', taskId: opened.taskId };
    const { taskId, createdAt, pending } = opened;
    return { kind: 'parked', taskId, createdAt, pending };
  }
}

/** The error as the program threw it, with its stack for the log. */
function refusalOf(thrown: unknown, error: { code: string; message: string }): unknown {
  return thrown instanceof BatonError || thrown instanceof Error ? thrown : BatonError.fromWire(error);
}
