import { isRecord, isTaskId } from '@baton/protocol';
import { print } from '../output/print.ts';
import { tableText } from '../output/table-text.ts';
import { yamlText } from '../output/yaml-text.ts';
import { openRest } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { howToAnswer } from './result-text.ts';

type Shown = Readonly<Record<string, unknown>>;

/** `baton show`: an interaction with what it asks, or a task with what happened to it; the id says which. Returns the exit code. Errors: those of RestClient. */
export async function runShow(id: string, flags: RestFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const rest = await openRest(flags, environment, 'a key of the tenant');
  const kind = isTaskId(id) ? 'tasks' : 'interactions';
  const value = await rest.request<Shown>('GET', `/${kind}/${encodeURIComponent(id)}`);
  print({ value, text: kind === 'tasks' ? taskText(value) : interactionText(value) }, flags);
  return 0;
}

function interactionText(shown: Shown): string {
  const { llmRequestForAgent, ...facts } = shown;
  const { messages, schema, tools } = isRecord(llmRequestForAgent) ? llmRequestForAgent : {};
  const parts = [factsText(facts)];
  for (const message of Array.isArray(messages) ? messages.filter(isRecord) : [])
    parts.push(`--- ${String(message['role'])}\n${messageText(message)}`);
  const functions = Array.isArray(tools) ? tools.filter(isRecord).map(functionText) : [];
  if (functions.length > 0) parts.push(`--- functions that the answer may call\n${functions.join('\n')}`);
  if (schema !== undefined) parts.push(`--- schema of the answer\n${JSON.stringify(schema, null, 2)}`);
  if (shown['status'] === 'pending')
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
  const parts = [factsText(facts), `--- arguments\n${yamlText(input)}`];
  if (Array.isArray(timeline)) {
    const rows = timeline
      .filter(isRecord)
      .map(({ at, event, ...more }) => [at, event, Object.values(more).filter(isShort).join(' ')]);
    parts.push(`--- timeline\n${tableText(rows.map((row) => row.map(String)))}`);
  }
  if (result !== undefined) parts.push(`--- result\n${yamlText(result)}`);
  if (error !== undefined) parts.push(`--- error\n${yamlText(error)}`);
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

/** A tool of the request with its arguments, in a line; one of the model's own side by its type. */
function functionText(tool: Shown): string {
  const { name, description, parameters } = isRecord(tool['function']) ? tool['function'] : tool;
  const { properties, required } = isRecord(parameters) ? parameters : {};
  const needed = Array.isArray(required) ? required : [];
  const args = Object.keys(isRecord(properties) ? properties : {});
  const shown = args.map((arg) => (needed.includes(arg) ? arg : `${arg}?`)).join(', ');
  const [line = ''] = typeof description === 'string' ? description.split('\n') : [];
  return `${String(name ?? tool['type'])}(${shown})  ${line}`.trimEnd();
}

/** What a message says, and what it calls. */
function messageText({ content, tool_calls: calls }: Shown): string {
  const words = typeof content === 'string' ? [content] : [];
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const shown = blocks.map((block) => (block['type'] === 'text' ? String(block['text']) : yamlText([block])));
  const called = (Array.isArray(calls) ? calls : []).map((call) => {
    const { name, arguments: args } = isRecord(call) && isRecord(call['function']) ? call['function'] : {};
    return `calls ${String(name)} ${String(args)}`;
  });
  return [...words, ...shown, ...called].join('\n');
}
