import {
  type AnsweredToolCall,
  BatonError,
  canonicalJson,
  isRecord,
  parseJson,
  type Json,
  type JsonObject,
  truncate,
  truncateToBytes,
} from '@baton/protocol';
import { all, type Program } from '../program/effect.ts';
import type { AgentCall, FunctionCall, FunctionResult, FunctionRun, FunctionSet } from './agent-call.ts';

/** Bytes of the results of one answer's calls that the model is told in all, and of one of them at least. */
const MAX_RESULTS_BYTES = 40_000;
const MIN_RESULT_BYTES = 400;
const MAX_ERROR_LENGTH = 2_000;

/** Runs the functions that a model calls, each with the same arguments once, and keeps the trace of the whole call. */
export class FunctionRuns {
  readonly trace: FunctionCall[] = [];
  private readonly functions: FunctionSet;
  private readonly names: readonly string[];
  /** Functions that are offered too, and are not run here. */
  private readonly otherNames: readonly string[];
  /** The id of the call that was run, by name and arguments. */
  private readonly known = new Map<string, string>();

  constructor(
    functions: FunctionSet,
    { parser, earlierCalls = [] }: Pick<AgentCall<unknown>, 'parser' | 'earlierCalls'>,
  ) {
    this.functions = functions;
    this.names = functions.tools.map((tool) => tool.function.name);
    this.otherNames = [...(parser.answerFunctions ?? [])];
    for (const call of earlierCalls) this.known.set(identityOf(call), call.id);
  }

  /** The results of one answer's calls, in their order: a call that fails, or cannot be run, has an error result. */
  *run(calls: readonly AnsweredToolCall[]): Program<readonly FunctionRun[]> {
    const plans = calls.map((call) => ({ call, refusal: this.refusalOf(call) }));
    const toRun = plans.filter(({ refusal }) => refusal === undefined).map(({ call }) => call);
    const results = yield* this.runTogether(toRun);
    let next = 0;
    const bytes = Math.max(MIN_RESULT_BYTES, Math.floor(MAX_RESULTS_BYTES / calls.length));
    const made = plans.map(({ call, refusal }): FunctionRun => {
      const end = refusal ?? { ...(results[next++] as FunctionResult), repeated: false };
      return { call: traceEntry(call, end, bytes), content: (end.ok ? end.content : undefined) ?? [] };
    });
    this.trace.push(...made.map(({ call }) => call));
    // What failed has no result to use, and may be called again.
    for (const [at, { call, refusal }] of plans.entries())
      if (refusal === undefined && made[at]?.call.error_message !== undefined)
        this.known.delete(identityOf(call));
    return made;
  }

  /** Several go through `all`, so that whoever answers one waits for no other. */
  private *runTogether(calls: readonly AnsweredToolCall[]): Program<FunctionResult[]> {
    const [only] = calls;
    if (only === undefined) return [];
    if (calls.length === 1) return [yield* this.runOne(only)];
    return yield* all(
      calls.map((call) => () => this.runOne(call)),
      this.functions.atOnce,
    );
  }

  private *runOne({ id, name, arguments: args }: AnsweredToolCall): Program<FunctionResult> {
    try {
      return yield* this.functions.run({ id, name, arguments: args });
    } catch (thrown) {
      // A refusal is the model's to read; a bug of the program is nobody's.
      if (!(thrown instanceof BatonError)) throw thrown;
      return { ok: false, error: `${thrown.code}: ${thrown.message}` };
    }
  }

  private refusalOf(call: AnsweredToolCall): Refusal | undefined {
    if (call.problem !== undefined) return refusal(`The call was not run: ${call.problem}.`);
    if (!this.names.includes(call.name)) {
      const known = truncate([...this.names, ...this.otherNames].join(', '), MAX_ERROR_LENGTH);
      return refusal(`There is no function '${call.name}'. There are: ${known}.`);
    }
    const identity = identityOf(call);
    const earlier = this.known.get(identity);
    if (earlier !== undefined) return repetition(earlier);
    this.known.set(identity, call.id);
    return undefined;
  }
}

const identityOf = ({ name, arguments: args }: Pick<AnsweredToolCall, 'name' | 'arguments'>) =>
  `${name} ${canonicalJson(args)}`;

type Refusal = FunctionResult & { readonly repeated: boolean };

const refusal = (error: string): Refusal => ({ ok: false, error, repeated: false });

function repetition(earlier: string): Refusal {
  const text =
    `This function was called before with the same arguments (call ${earlier}), so it was not run again. ` +
    'Use that result, or call it with other arguments.';
  return { ok: true, result: text, text, repeated: true };
}

const ERROR_PREFIX = 'Error: ';

/**
 * The entry of a call that was run before, read from what the model was told of it: its error, or its result, which is the
 * text itself where that is no JSON object.
 */
export function readTraceEntry(
  { id, name, arguments: args }: Pick<AnsweredToolCall, 'id' | 'name' | 'arguments'>,
  result_str: string,
): FunctionCall {
  const entry = { id, name, arguments: args, result_str, repeated: false };
  return result_str.startsWith(ERROR_PREFIX)
    ? { ...entry, error_message: result_str.slice(ERROR_PREFIX.length) }
    : { ...entry, result: readResult(result_str) };
}

function readResult(text: string): Json {
  try {
    const read: unknown = parseJson(text);
    return isRecord(read) ? (read as JsonObject) : text;
  } catch {
    return text;
  }
}

function traceEntry(call: AnsweredToolCall, end: Refusal, bytes: number): FunctionCall {
  const { id, name, arguments: args } = call;
  const { repeated } = end;
  if (!end.ok) {
    const error_message = truncate(end.error, MAX_ERROR_LENGTH);
    return {
      id,
      name,
      arguments: args,
      result_str: `${ERROR_PREFIX}${error_message}`,
      error_message,
      repeated,
    };
  }
  const { result, unsupportedHints } = end;
  return {
    id,
    name,
    arguments: args,
    result,
    result_str: shorten(end.text ?? asText(result), bytes),
    repeated,
    ...(unsupportedHints === undefined ? {} : { unsupportedHints }),
  };
}

function asText(result: Json): string {
  return typeof result === 'string' ? result : JSON.stringify(result ?? null);
}

function shorten(text: string, bytes: number): string {
  const length = Buffer.byteLength(text);
  if (length <= bytes) return text;
  return `${truncateToBytes(text, bytes)}\n[cut: these are the first ${bytes} of ${length} bytes]`;
}
