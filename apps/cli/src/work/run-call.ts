import { print } from '../output/print.ts';
import { openRest } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { readCallArguments } from './call-arguments.ts';
import { describeResult, withSummary } from './result-text.ts';

export interface CallFlags extends RestFlags {
  readonly idempotencyKey?: string;
  /** Only the id of the task that the call stands for. */
  readonly quiet?: boolean;
}

/** `baton call`: any tool. Returns the exit code: 0 for a result, and for work that now waits for an LLM. Errors: those of RestClient, UsageError. */
export async function runCall(
  tool: string,
  words: readonly string[],
  flags: CallFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const args = readCallArguments(words);
  const rest = await openRest(flags, environment, 'a key with scope mcp, to call tools');
  const headers = flags.idempotencyKey === undefined ? {} : { 'idempotency-key': flags.idempotencyKey };
  const path = `/tools/${encodeURIComponent(tool)}`;
  const result = await rest.request<Record<string, unknown>>('POST', path, args, headers);
  if (flags.quiet === true) print({ value: result, text: textOf(result['taskId']) }, {});
  else if (flags.json === true) print({ value: result }, flags);
  else print({ value: result, ...describeResult(await withSummary(result, rest)) }, flags);
  return 0;
}

function textOf(taskId: unknown): string {
  return typeof taskId === 'string' ? taskId : '';
}
