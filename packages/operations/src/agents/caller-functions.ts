import type { CallerFunction } from '@baton/agent-definitions';
import {
  type AnswerParser,
  checkAnswer,
  type FunctionCall,
  type Handlers,
  type Program,
  readTraceEntry,
} from '@baton/engine';
import {
  type AnsweredToolCall,
  type AttachableBlock,
  canonicalJson,
  extractText,
  type Json,
  type JsonObject,
  type Message,
  messageText,
  readToolCalls,
  toToolCall,
  type Validation,
} from '@baton/protocol';

/** An answer to a prompt: what its parser made of it, or calls of the caller's functions. */
export type PromptAnswer = { readonly response: Json; readonly calls?: undefined } | CallingAnswer;

interface CallingAnswer {
  readonly calls: readonly AnsweredToolCall[];
  /** What the model said beside them. */
  readonly words: string | null;
}

/** The caller's functions as a request has them. */
export function callerTools(functions: readonly CallerFunction[]): JsonObject[] {
  return functions.map((one) => ({ type: 'function', function: { ...one } as JsonObject }));
}

/**
 * Reads an answer that may call functions of the caller: calls that all fit their parameters end the agent call, for the
 * caller to carry out; one that does not, or that was made before (`made`), is a problem, as an answer is that does not parse.
 * `hinted`: tools that the model has by a hint, and the caller carries out, with whatever arguments and as often as it likes.
 */
export function callerFunctionParser(
  parser: AnswerParser<Json>,
  functions: readonly CallerFunction[],
  made: readonly FunctionCall[],
  hinted: readonly string[] = [],
): AnswerParser<PromptAnswer> {
  const earlier = new Map(made.map((call) => [identityOf(call), call.id]));
  const names = new Set([...functions.map(({ name }) => name), ...hinted]);
  return {
    ...parser,
    answerFunctions: names,
    *read(data): Program<Validation<PromptAnswer>> {
      const every = names.size === 0 ? [] : readToolCalls(data);
      // The model calls Baton's again once it has the caller's results: no turn is half done.
      const own = every.filter(({ name }) => names.has(name));
      const calls = own.length > 0 ? own : every;
      if (calls.length === 0) {
        const fit = yield* parser.read(data);
        return fit.ok ? { ok: true, value: { response: fit.value } } : fit;
      }
      for (const { name, arguments: args, problem } of calls) {
        const called = functions.find((one) => one.name === name);
        if (problem !== undefined) return { ok: false, problem: `a call of '${name}': ${problem}` };
        if (problem === undefined && hinted.includes(name)) continue;
        if (called === undefined) return { ok: false, problem: `there is no function '${name}'` };
        const fit = yield* checkAnswer(called.parameters, args);
        if (!fit.ok) return { ok: false, problem: `the arguments of '${name}' do not fit: ${fit.problem}` };
        const same = earlier.get(identityOf({ name, arguments: args }));
        if (same !== undefined)
          return {
            ok: false,
            problem: `'${name}' was called before with the same arguments (call ${same}): use that result, or call it with others`,
          };
      }
      const words = extractText(data);
      return { ok: true, value: { calls, words: words.ok && words.value !== '' ? words.value : null } };
    },
  };
}

const identityOf = ({ name, arguments: args }: Pick<FunctionCall, 'name' | 'arguments'>) =>
  `${name} ${canonicalJson(args)}`;

/** The calls of functions that a dialog holds: of those of the caller (`callers`) with what it said of each, of the others as they were. */
export function callsMadeIn(
  messages: readonly Message[],
  callers: ReadonlySet<string>,
): readonly FunctionCall[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.tool_call_id, message] as const] : [],
    ),
  );
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return readToolCalls({ tool_calls: (message.tool_calls ?? []) as unknown as Json }).map(
      (call): FunctionCall => {
        const { id, name, arguments: args } = call;
        const told = results.get(id);
        if (!callers.has(name)) return readTraceEntry(call, told === undefined ? '' : messageText(told));
        const result_str = told === undefined ? '' : textOf(told.content);
        return { id, name, arguments: args, result: result_str, result_str, repeated: false };
      },
    );
  });
}

/** A dialog with the results of the calls made in it as a prompt's handler tells them: each once, in its tool message. */
export function withHandledResults(
  messages: readonly Message[],
  made: readonly FunctionCall[],
  { interrupt }: Handlers,
): readonly Message[] {
  if (interrupt === undefined) return messages;
  return withResultWords(messages, made, (call, words) => interrupt({ ...call, result_str: words }));
}

/** The same before the handler: what the next call may have handled again. */
export function withPlainResults(
  messages: readonly Message[],
  made: readonly FunctionCall[],
  { interrupt }: Handlers,
): readonly Message[] {
  if (interrupt === undefined) return messages;
  return withResultWords(messages, made, ({ result_str }) => result_str);
}

/** With other words in the tool messages of these calls; the content beside the words stays. */
function withResultWords(
  messages: readonly Message[],
  made: readonly FunctionCall[],
  say: (call: FunctionCall, words: string) => string,
): readonly Message[] {
  const calls = new Map(made.map((call) => [call.id, call]));
  return messages.map((message): Message => {
    const call = message.role === 'tool' ? calls.get(message.tool_call_id) : undefined;
    if (message.role !== 'tool' || call === undefined) return message;
    if (typeof message.content === 'string') return { ...message, content: say(call, message.content) };
    const others = message.content.filter(({ type }) => type !== 'text');
    return { ...message, content: [{ type: 'text', text: say(call, messageText(message)) }, ...others] };
  });
}

function textOf(content: Message['content']): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/**
 * The assistant's turn of an answer that calls functions and brought `blocks`, behind `before`: models number the calls of each answer from the
 * beginning, and endpoints refuse a dialog that repeats an id.
 */
export function callingTurn(
  { calls, words }: CallingAnswer,
  blocks: readonly AttachableBlock[],
  before: readonly Message[],
) {
  const taken = new Set(
    before.flatMap((turn) => (turn.role === 'assistant' ? (turn.tool_calls ?? []) : [])).map(({ id }) => id),
  );
  const own = calls.map((call) =>
    taken.has(call.id) ? { ...call, id: `${call.id}_t${before.length}` } : call,
  );
  const said = words === null ? [] : [{ type: 'text', text: words }];
  const content = blocks.length === 0 ? words : [...said, ...blocks];
  const turn: Message = { role: 'assistant', content, tool_calls: own.map(toToolCall) };
  return { turn, calls: own };
}

/** What is wrong with the messages that a call goes on with, or undefined: each function call has its result at once behind it. */
export function findDialogProblem(messages: readonly Message[]): string | undefined {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      const id = message.tool_call_id;
      if (!open.delete(id)) return `the tool message for '${id}' stands behind no call of that id`;
      continue;
    }
    if (open.size > 0) break;
    if (message.role === 'system') return 'the system message is the prompt’s';
    if (message.role === 'assistant') open = new Set((message.tool_calls ?? []).map(({ id }) => id));
  }
  const [first] = open;
  return first === undefined ? undefined : `the call '${first}' has no tool message behind it`;
}
