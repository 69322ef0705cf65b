import {
  anyObjectSchema,
  extractObject,
  extractText,
  hasNonTextContent,
  isRecord,
  type Json,
  type JsonObject,
  readToolCalls,
  toJsonSchema,
  truncate,
  type ServiceType,
  type Validation,
} from '@baton/protocol';
import type { z } from 'zod';
import { checkAnswer, type Program } from '../program/effect.ts';
import { toAnswerSchema } from './zod-schema.ts';
import type { AgentCall, AgentCallOutcome, AnswerParser } from './agent-call.ts';
import { runAgentCall } from './run-agent-call.ts';

/** A call that asks for one answer and offers no functions of Baton's. */
export type PlainCall = Pick<
  AgentCall<unknown>,
  'role' | 'modelId' | 'messages' | 'summary' | 'maxTokens' | 'temperature'
>;

/** A value, and what its answer brought beside it. */
export type WithContent<T> = Pick<AgentCallOutcome<T>, 'value' | 'content'>;

/** A structured answer that fits `schema`. Errors: `answer_invalid`, `agent_error`, `agent_refused`, `interaction_expired`. */
export function* generateObject<T>(
  call: PlainCall & { readonly schema: z.ZodType<T>; readonly objectName: string },
): Program<T> {
  return (yield* generateObjectWithContent(call)).value;
}

/** The same, with what the answer brought beside the object. */
export function* generateObjectWithContent<T>(
  call: PlainCall & { readonly schema: z.ZodType<T>; readonly objectName: string },
): Program<WithContent<T>> {
  const shape = toAnswerSchema(call.schema);
  const parser: AnswerParser<T> = {
    parameters: { schema: toJsonSchema(call.schema), objectName: call.objectName },
    *read(data) {
      return extractObject(data, shape);
    },
  };
  return yield* outcomeOf(call, parser);
}

/** An answer in words: some, and at most `longest` characters where that is given. Errors as for `generateObject`. */
export function* generateText(call: PlainCall & { readonly longest?: number }): Program<string> {
  return (yield* generateTextWithContent(call)).value;
}

/** The same, with what the answer brought beside the words. */
export function* generateTextWithContent(
  call: PlainCall & { readonly longest?: number },
): Program<WithContent<string>> {
  const { longest = Number.POSITIVE_INFINITY } = call;
  return yield* outcomeOf(call, {
    *read(data): Program<Validation<string>> {
      const text = extractText(data);
      if (!text.ok) return text;
      if (text.value.trim() === '') return { ok: false, problem: 'the text is empty' };
      if (text.value.length <= longest) return text;
      return { ok: false, problem: `the text has ${text.value.length} characters and may have ${longest}` };
    },
  });
}

/** The answer to a caller's own request: what was asked for, and the answer's data as the agent gave it. */
export interface CallerRequestResult {
  readonly response: Json;
  readonly data: Json;
  /** The calls of the caller's tools, normalised; none of them broken. */
  readonly toolCalls: { id: string; name: string; arguments: Json }[];
}

/** The request of a caller as it came, its schema and its tools included; the caller runs the tools that are called. */
export function* generateForCaller(
  call: PlainCall & {
    readonly serviceType: ServiceType;
    readonly schema?: JsonObject;
    readonly parameters: JsonObject;
  },
): Program<CallerRequestResult> {
  const { schema, serviceType, parameters } = call;
  const offered = offeredTools(parameters['tools']);
  const { value } = yield* outcomeOf(
    call,
    {
      *read(data): Program<Validation<CallerRequestResult>> {
        // Without tools in the request nothing is a call of one: an object may have fields that are named so.
        const toolCalls = offered.isEmpty ? [] : readToolCalls(data);
        const broken = toolCalls.find(({ problem }) => problem !== undefined);
        if (broken !== undefined)
          return { ok: false, problem: `the tool call '${broken.id}' is broken: ${broken.problem}` };
        const unknown = toolCalls.find(({ name }) => offered.names?.has(name) === false);
        if (unknown !== undefined)
          return { ok: false, problem: problemOfUnknownTool(unknown.name, offered.names) };
        const fit = yield* readResponse(data, toolCalls.length > 0);
        return fit.ok ? { ok: true, value: { response: fit.value, data, toolCalls } } : fit;
      },
    },
    { serviceType, parameters, chosenBy: 'caller' },
  );
  return value;

  function* readResponse(data: Json, callsTools: boolean): Program<Validation<Json>> {
    const isObject = schema !== undefined || serviceType === 'generateObject';
    if (isObject && callsTools) return { ok: true, value: extractText(data).ok ? textOf(data) : '' };
    if (schema !== undefined) return yield* checkAnswer(schema, data);
    if (serviceType === 'generateObject') return extractObject(data, anyObjectSchema);
    const text = extractText(data);
    // An answer with tool calls, images or other content needs no text.
    return !text.ok && (callsTools || hasNonTextContent(data)) ? { ok: true, value: '' } : text;
  }
}

/** The tools of a caller's request, in OpenAI's form or MCP's; `names` undefined where not each of them says its own. */
function offeredTools(tools: unknown): { readonly isEmpty: boolean; readonly names?: ReadonlySet<string> } {
  if (!Array.isArray(tools) || tools.length === 0) return { isEmpty: true };
  const names = tools.map((tool: unknown) => {
    const own = isRecord(tool) && isRecord(tool['function']) ? tool['function'] : tool;
    return isRecord(own) ? own['name'] : undefined;
  });
  const areKnown = names.every((name) => typeof name === 'string');
  return { isEmpty: false, ...(areKnown ? { names: new Set(names) } : {}) };
}

function problemOfUnknownTool(name: string, offered: Iterable<string> = []): string {
  return `there is no tool '${truncate(name, MAX_NAME)}'; the request offers ${truncate([...offered].join(', '), MAX_NAMES)}`;
}

/** Characters of names in a problem. */
const MAX_NAME = 100;
const MAX_NAMES = 500;

function textOf(data: Json): string {
  const text = extractText(data);
  return text.ok ? text.value : '';
}

function* outcomeOf<T>(
  call: PlainCall,
  parser: AnswerParser<T>,
  more?: Pick<AgentCall<T>, 'serviceType' | 'parameters' | 'chosenBy'>,
): Program<WithContent<T>> {
  const { role, modelId, messages, summary, maxTokens, temperature } = call;
  const whole = { role, modelId, messages, summary, maxTokens, temperature, parser };
  if (more !== undefined) Object.assign(whole, more);
  return yield* runAgentCall<T>(whole);
}
