import { jsonText, plainText } from '../output/plain-text.ts';
import { ConfigurationError } from '../settings/environment.ts';
import { type BatonFlags, endpointFor } from '../settings/tenant-endpoint.ts';
import { runPrompt } from './run-prompt.ts';
import { traceText } from './trace-text.ts';

/** What `baton workflows run` takes beside the name. */
export interface RunFlags extends BatonFlags {
  readonly json?: boolean;
  readonly arg?: readonly string[];
  readonly idempotencyKey?: string;
}

/** Exit code of a run that handed off what is left. */
const HANDED_OFF = 2;

/** `baton workflows run`: runs a workflow and prints the run. Returns the exit code. Errors: as for `runDefinitions`. */
export async function runWorkflow(
  name: string,
  flags: RunFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const endpoint = await endpointFor(flags, environment, 'workflows');
  const { idempotencyKey } = flags;
  const meta = idempotencyKey === undefined ? {} : { _meta: { 'baton/idempotencyKey': idempotencyKey } };
  const args = argumentsOf(flags.arg ?? []);
  const result = await runPrompt(endpoint, { name, arguments: args, ...meta });
  console.log(flags.json === true ? jsonText(result) : plainText(traceText(result)));
  return result._meta?.['task_status'] === 'completed' ? 0 : HANDED_OFF;
}

/** `name=value` each. */
function argumentsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new ConfigurationError(`--arg ${text}: must be <name>=<value>`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
