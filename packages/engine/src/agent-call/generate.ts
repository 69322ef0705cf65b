import {
  anyObjectSchema,
  extractObject,
  extractText,
  hasNonTextContent,
  type Json,
  type JsonObject,
  readToolCalls,
  type ServiceType,
  type Validation,
} from '@baton/protocol';
import type { z } from 'zod';
import { checkAnswer, type Program } from '../program/effect.ts';
import { toAnswerSchema, toJsonSchema } from './zod-schema.ts';
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
  // Without tools in the request, an object may have fields that are named like calls.
  const offersTools = serviceType !== 'generateObject' || Array.isArray(parameters['tools']);
  const { value } = yield* outcomeOf(
    call,
    {
      *read(data): Program<Validation<CallerRequestResult>> {
        const toolCalls = offersTools ? readToolCalls(data) : [];
        const broken = toolCalls.find(({ problem }) => problem !== undefined);
        if (broken !== undefined)
          return { ok: false, problem: `the tool call '${broken.id}' is broken: ${broken.problem}` };
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
