import type { Operation } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import type { CallerAdmission, Idempotency, TenantStore } from '@baton/store';
import type { Programs } from './programs.ts';

/**
 * Opens a task of an operation for a worker to run from its first segment on, or finds the one that the same idempotency key
 * started. It starts the newest version that a live worker has. Errors: `program_unavailable`, and every refusal of OPEN.
 */
export async function openReadyTask(
  programs: Programs,
  tenant: TenantStore,
  caller: CallerAdmission,
  named: Operation,
  input: JsonObject,
  idempotency?: Idempotency,
): Promise<{ readonly taskId: string; readonly created: boolean }> {
  const { name, version } = programs.newestRunnable(named, await tenant.livePrograms());
  return tenant.tasks.open(caller, {
    operation: name,
    version,
    input,
    journal: [],
    waits: [],
    ready: true,
    idempotency,
  });
}
