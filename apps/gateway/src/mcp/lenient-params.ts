import { coercePromptArguments } from '@baton/agent-definitions';
import { isRecord, JsonTextError, parseJson } from '@baton/protocol';

const ARGUMENTS = 'arguments';
/** Where methods have values of their caller's own, or of a model, whose nulls are theirs. */
const CALLERS_OWN: ReadonlySet<string> = new Set([ARGUMENTS, 'inputResponses']);
/** Methods whose arguments are texts by name. */
const METHODS_OF_PROMPTS: ReadonlySet<unknown> = new Set(['prompts/get', 'completion/complete']);
/** What a protocol's own fields nest at most. */
const MAX_DEPTH = 4;

/**
 * Takes null out of the params of requests and notifications, where it says what leaving a field out says, and reads `arguments` that are
 * JSON text. What it cannot read stays as it came, to be refused.
 */
export function readParamsLeniently(body: unknown): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (!isRecord(message) || !('method' in message)) continue;
    if (message['params'] === null) delete message['params'];
    const { method, params } = message;
    if (!isRecord(params)) continue;
    deleteNulls(params, 0);
    readArgumentsText(params);
    if (!METHODS_OF_PROMPTS.has(method)) continue;
    for (const holder of [params, params['context']]) {
      if (isRecord(holder) && isRecord(holder[ARGUMENTS]))
        holder[ARGUMENTS] = coercePromptArguments(holder[ARGUMENTS]);
    }
  }
}

function deleteNulls(fields: Record<string, unknown>, depth: number): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) delete fields[name];
    else if (!CALLERS_OWN.has(name) && depth < MAX_DEPTH && isRecord(value)) deleteNulls(value, depth + 1);
  }
}

function readArgumentsText(params: Record<string, unknown>): void {
  const text = params[ARGUMENTS];
  if (typeof text !== 'string') return;
  if (text.trim() === '') {
    delete params[ARGUMENTS];
    return;
  }
  try {
    const read = parseJson(text);
    if (isRecord(read)) params[ARGUMENTS] = read;
    else if (read === null) delete params[ARGUMENTS];
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
}
