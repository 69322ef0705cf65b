import { isRecord, isTaskId } from '@baton/protocol';
import { stringify } from 'yaml';
import { print } from '../output/print.ts';
import { tableText } from '../output/table-text.ts';
import { RestClient } from '../rest/rest-client.ts';
import { type RestFlags, tenantRest } from '../settings/rest-endpoint.ts';
import { howToAnswer } from './result-text.ts';

export interface ShowFlags extends RestFlags {
  readonly json?: boolean;
}

type Shown = Readonly<Record<string, unknown>>;

/** `baton show`: an interaction with what it asks, or a task with what happened to it; the id says which. Returns the exit code. Errors: those of RestClient. */
export async function runShow(id: string, flags: ShowFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const rest = new RestClient(await tenantRest(flags, environment, 'a key of the tenant'));
  const kind = isTaskId(id) ? 'tasks' : 'interactions';
  const value = await rest.request<Shown>('GET', `/${kind}/${encodeURIComponent(id)}`);
  print({ value, text: kind === 'tasks' ? taskText(value) : interactionText(value) }, flags);
  return 0;
}

function interactionText(shown: Shown): string {
  const { llmRequestForAgent, elicitation, ...facts } = shown;
  const { messages, schema } = isRecord(llmRequestForAgent) ? llmRequestForAgent : {};
  const parts = [factsText(facts)];
  for (const message of Array.isArray(messages) ? messages.filter(isRecord) : [])
    parts.push(`--- ${String(message['role'])}\n${textOf(message)}`);
  if (schema !== undefined) parts.push(`--- schema of the answer\n${JSON.stringify(schema, null, 2)}`);
  if (elicitation !== undefined) parts.push(`--- question\n${stringify(elicitation).trimEnd()}`);
  if (shown['status'] === 'pending' && elicitation === undefined)
    parts.push(howToAnswer(String(shown['interactionId'])).slice(1).join('\n'));
  return parts.join('\n\n');
}

function taskText(shown: Shown): string {
  const {
    result,
    error,
    timeline,
    input,
    interactions: _asked,
    journal: _journal,
    usage: _usage,
    ...facts
  } = shown;
  const parts = [factsText(facts), `--- arguments\n${stringify(input).trimEnd()}`];
  if (Array.isArray(timeline)) {
    const rows = timeline
      .filter(isRecord)
      .map(({ at, event, ...more }) => [at, event, Object.values(more).filter(isShort).join(' ')]);
    parts.push(`--- timeline\n${tableText(rows.map((row) => row.map(String)))}`);
  }
  if (result !== undefined) parts.push(`--- result\n${stringify(result).trimEnd()}`);
  if (error !== undefined) parts.push(`--- error\n${stringify(error).trimEnd()}`);
  return parts.join('\n\n');
}

/** What fits in a line. */
function factsText(facts: Shown): string {
  return tableText(
    Object.entries(facts).flatMap(([name, value]) => (isShort(value) ? [[name, String(value)]] : [])),
  );
}

function isShort(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function textOf({ content, ...more }: Readonly<Record<string, unknown>>): string {
  if (typeof content === 'string') return content;
  const { role: _role, ...rest } = more;
  return stringify(content === undefined ? rest : content).trimEnd();
}
