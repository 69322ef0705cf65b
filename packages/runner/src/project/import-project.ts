import { parseTasksFileInSteps } from '@baton/operations';
import { BatonError } from '@baton/protocol';
import type { TenantStore } from '@baton/store';
import { type CommandOutcome, runCommand } from './run-command.ts';
import { runInSlices } from './time-slices.ts';

/** Problems that a refusal's message names; its details hold all. */
const NAMED_PROBLEMS = 5;

/**
 * Replaces a project's tags by those of a tasks.json, repaired where it is damaged; the outcome lists the repairs.
 * Errors as for `runCommand`; with `strict`, `invalid_arguments` for a file that needs a repair, with all of them.
 */
export async function importProject(
  tenant: TenantStore,
  name: string,
  file: unknown,
  { strict }: { readonly strict: boolean },
): Promise<CommandOutcome> {
  const parsed = await runInSlices(parseTasksFileInSteps(file, new Date().toISOString()));
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
  return runCommand(tenant, name, { command: 'import', file: parsed });
}
