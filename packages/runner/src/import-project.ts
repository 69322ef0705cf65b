import { parseTasksFileInSteps } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import type { TenantStore } from '@baton/store';
import { commitCommand } from './project-change.ts';

/** How long an import parses before it yields the event loop, in milliseconds. */
const READ_MS = 10;

/** Replaces a project's tags by those of a tasks.json. Errors as for `changeProject`. */
export async function importProject(tenant: TenantStore, name: string, file: unknown): Promise<JsonObject> {
  const reading = parseTasksFileInSteps(file, new Date().toISOString());
  let step = reading.next();
  for (let since = performance.now(); !step.done; step = reading.next()) {
    if (performance.now() - since < READ_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  return commitCommand(tenant, name, { command: 'import', file: step.value });
}
