import { parseTasksFileInSteps } from '@baton/operations';
import type { Idempotency, TenantStore } from '@baton/store';
import { type CommandOutcome, runCommand } from './run-command.ts';
import { runInSlices } from './time-slices.ts';

/** Replaces a project's tags by those of a tasks.json. Errors as for `runCommand`. */
export async function importProject(
  tenant: TenantStore,
  name: string,
  file: unknown,
  idempotency?: Idempotency,
): Promise<CommandOutcome> {
  const parsed = await runInSlices(parseTasksFileInSteps(file, new Date().toISOString()));
  return runCommand(tenant, name, { command: 'import', file: parsed }, idempotency);
}
