import { parseTasksFileInSteps } from '@baton/operations';
import { BatonError } from '@baton/protocol';
import type { Idempotency, TenantStore } from '@baton/store';
import { type CommandOutcome, runCommand } from './run-command.ts';
import { runInSlices } from './time-slices.ts';

/** Problems that a refusal's message names; its details hold all. */
const NAMED_PROBLEMS = 5;

/**
 * Replaces a project's tags by those of a tasks.json, repaired where it is damaged; the outcome lists the repairs.
 * Errors as for `runCommand`, `limit_storage` with the bytes that the file would take (`needed`); with `strict`, `invalid_arguments` for a file that needs a repair, with all of them.
 */
export async function importProject(
  tenant: TenantStore,
  name: string,
  file: unknown,
  { strict }: { readonly strict: boolean },
  idempotency?: Idempotency,
): Promise<CommandOutcome> {
  const parsed = await runInSlices(parseTasksFileInSteps(file, tenant.projects.now()));
  if (strict && parsed.repairs.length > 0) {
    const named = parsed.repairs.slice(0, NAMED_PROBLEMS).map(({ place, problem }) => `${place} ${problem}`);
    const more = parsed.repairs.length - named.length;
    const rest = more > 0 ? `; and ${more} more, under problems` : '';
    throw new BatonError(
      'invalid_arguments',
      `The file needs repairs, and strict allows none: ${named.join('; ')}${rest}.`,
      { field: 'file', problems: parsed.repairs },
    );
  }
  try {
    return await runCommand(tenant, name, { command: 'import', file: parsed }, idempotency);
  } catch (thrown) {
    throw asImportRefusal(thrown);
  }
}

/** A file that is too large for a project is refused by its own size, not by what the project held before. */
function asImportRefusal(thrown: unknown): unknown {
  if (!(thrown instanceof BatonError) || thrown.details['limit'] !== 'projectBytes') return thrown;
  const { needed, most } = thrown.details;
  return new BatonError(
    thrown.code,
    `The file would take ${needed} bytes as a project, and the tenant's limit 'projectBytes' allows ${most}. Nothing was changed. ` +
      'Import its tags into several projects, leave out tasks, or have the limit raised.',
    thrown.details,
  );
}
