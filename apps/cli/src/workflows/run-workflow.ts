import type { GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import { print } from '../output/print.ts';
import { UsageError } from '../process/exit-codes.ts';
import { openRest } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';

/** What `baton workflows run` takes beside the name. */
export interface RunFlags extends RestFlags {
  readonly arg?: readonly string[];
  readonly idempotencyKey?: string;
}

/** Exit code of a run that handed off what is left. */
const HANDED_OFF = 2;

/** `baton workflows run`: runs a workflow and prints the run. Returns the exit code. Errors: as for `runDefinitions`, UsageError. */
export async function runWorkflow(
  name: string,
  flags: RunFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const args = argumentsOf(flags.arg ?? []);
  const purpose = 'an API key of the tenant, with scope admin to change workflows and mcp to use them';
  const tenant = await openRest(flags, environment, purpose);
  const headers = flags.idempotencyKey === undefined ? {} : { 'idempotency-key': flags.idempotencyKey };
  const path = `/prompts/${encodeURIComponent(name)}`;
  const result = await tenant.request<GetPromptResult>('POST', path, args, headers);
  print({ value: result, text: traceText(result) }, flags);
  return result._meta?.['task_status'] === 'completed' ? 0 : HANDED_OFF;
}

/** `name=value` each. */
function argumentsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`--arg ${text}: must be <name>=<value>`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** A run as a conversation, and how its task stands. */
function traceText({ messages, _meta = {} }: GetPromptResult): string {
  const said = messages.map(({ role, content }) => {
    const lines = contentText(content).split('\n');
    return [`${role}:`, ...lines.map((line) => `  ${line}`.trimEnd())].join('\n');
  });
  return [...said, `Task ${String(_meta['task_id'])} is ${String(_meta['task_status'])}.`].join('\n\n');
}

function contentText(content: GetPromptResult['messages'][number]['content']): string {
  if (content.type === 'text') return content.text;
  if (content.type !== 'resource') return `(${content.type})`;
  const { resource } = content;
  return `${resource.uri}\n${'text' in resource ? resource.text : '(bytes)'}`;
}
