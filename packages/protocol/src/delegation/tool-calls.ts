import { isRecord, type Json } from '../json/json.ts';
import { parseJson } from '../json/json-text.ts';
import { MAX_TOOL_CALLS, type ToolCall } from './message.ts';
import { truncate } from '../text/truncate.ts';

/**
 * A call of a function as an answer asks for it. With `problem` it cannot be run, and says why; its other fields then hold
 * what could be read, so that the call can still be answered under its id.
 */
export interface AnsweredToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
  readonly problem?: string;
}

const MAX_NAME_LENGTH = 200;
const QUOTED = 200;

/**
 * The tool calls in an answer's `data`, normalised: Baton's `toolCalls [{ id, name, arguments }]`, OpenAI's and OpenRouter's
 * `tool_calls`, Anthropic's `tool_use` blocks of `content`; the first of these that holds any. Ids are distinct within the
 * answer. Of more than MAX_TOOL_CALLS calls the first as many are given, each with that for its problem.
 */
export function readToolCalls(data: unknown): AnsweredToolCall[] {
  const given = givenCalls(data);
  if (given.length === 0) return [];
  const some = given.slice(0, MAX_TOOL_CALLS);
  const ids = new CallIds(some.map((call) => (isRecord(call) ? nameOf(call['id']) : '')));
  const calls = some.map((call, index) => readCall(call, ids.take(index)));
  if (given.length <= MAX_TOOL_CALLS) return calls;
  const problem = `${given.length} calls were made at once, and at most ${MAX_TOOL_CALLS} may be: none was run`;
  return calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args, problem }));
}

/** A call in OpenAI's form, as a message of the dialog holds it. What could not be read is left out of its arguments. */
export function toToolCall({ id, name, arguments: args }: AnsweredToolCall): ToolCall {
  // Endpoints parse the arguments of earlier calls, and some fail on those that are no object.
  const text = isRecord(args) ? JSON.stringify(args) : '{}';
  return { id, type: 'function', function: { name: name === '' ? 'unnamed' : name, arguments: text } };
}

function givenCalls(data: unknown): readonly unknown[] {
  if (!isRecord(data)) return [];
  for (const field of ['toolCalls', 'tool_calls']) {
    const calls = data[field];
    if (Array.isArray(calls) && calls.length > 0) return calls;
    // One call without its list, or what is none: named as a broken call.
    if (calls !== undefined && calls !== null && !Array.isArray(calls)) return [calls];
  }
  const content = data['content'];
  return Array.isArray(content)
    ? content.filter((block) => isRecord(block) && block['type'] === 'tool_use')
    : [];
}

function readCall(call: unknown, id: string): AnsweredToolCall {
  if (!isRecord(call)) return { id, name: '', arguments: null, problem: 'it is no object' };
  const inner = isRecord(call['function']) ? call['function'] : call;
  const name = nameOf(inner['name']);
  const read = readArguments(inner['arguments'] ?? call['input']);
  const problem =
    unknownType(call['type']) ?? (name === '' ? 'it names no function' : undefined) ?? read.problem;
  const known = { id, name, arguments: read.value };
  return problem === undefined ? known : { ...known, problem };
}

function nameOf(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' ? truncate(text.trim(), MAX_NAME_LENGTH) : '';
}

function unknownType(type: unknown): string | undefined {
  if (type === undefined || type === 'function' || type === 'tool_use' || type === 'tool-call')
    return undefined;
  return `its type ${truncate(JSON.stringify(type) ?? '', QUOTED)} is unknown; calls are of type "function"`;
}

/** The ids of one answer's calls: each as it was given, once. A call without one, as some endpoints give it, or with that of another, gets its own. */
class CallIds {
  private readonly given: readonly string[];
  private readonly reserved: Set<string>;

  constructor(given: readonly string[]) {
    this.given = given;
    this.reserved = new Set(given);
  }

  take(index: number): string {
    const given = this.given[index] ?? '';
    if (given === '') return this.free(`call_${index + 1}`);
    return this.given.indexOf(given) === index ? given : this.free(`${given}_2`);
  }

  private free(wanted: string): string {
    let id = wanted;
    for (let copy = 2; this.reserved.has(id); copy++) id = `${wanted}_${copy}`;
    this.reserved.add(id);
    return id;
  }
}

/** Arguments as an object, or as JSON text of one; none at all are those of a function without parameters. */
function readArguments(given: unknown): { readonly value: Json; readonly problem?: string } {
  if (given === undefined || given === null || given === '') return { value: {} };
  if (typeof given !== 'string') return requireObject(given as Json);
  try {
    return requireObject(parseJson(given) as Json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    const problem = `its arguments are not JSON (${truncate(reason, QUOTED)}): ${truncate(given, QUOTED)}`;
    return { value: truncate(given, QUOTED), problem };
  }
}

function requireObject(value: Json): { readonly value: Json; readonly problem?: string } {
  if (isRecord(value)) return { value };
  return { value, problem: `its arguments are no object: ${truncate(JSON.stringify(value), QUOTED)}` };
}
