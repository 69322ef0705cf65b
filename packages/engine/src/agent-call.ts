import {
  type AgentAnswer,
  anyObjectSchema,
  BatonError,
  correctionMessages,
  type DelegatedCall,
  type Validation,
  isRecord,
  type Json,
  type JsonObject,
  type LlmRequest,
  type Message,
  RETRYABLE_ERROR_TYPES,
  extractObject,
  extractText,
  type ModelRole,
  type ServiceType,
  hasNonTextContent,
  MAX_PROBLEM_LENGTH,
  truncate,
} from '@baton/protocol';
import type { z } from 'zod';
import { askAgent, checkAnswer, type Program, sleep } from './effect.ts';
import { toAnswerSchema, toJsonSchema } from './zod-schema.ts';

/**
 * A delegated LLM request that ends in a parsed result or a BatonError. An answer that does not fit is asked for again
 * with the problem quoted, at most MAX_CORRECTIONS times; a retryable failure of the agent's LLM is asked again
 * after a pause, at most MAX_FAILURE_RETRIES times. Both counts hold for the whole call.
 */
export interface AgentCall {
  readonly role: ModelRole;
  readonly modelId: string;
  readonly messages: readonly Message[];
  readonly summary: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export const MAX_CORRECTIONS = 3;
export const MAX_FAILURE_RETRIES = 2;
const FIRST_PAUSE_MS = 1_000;

/** A structured answer that fits `schema`. Errors: `answer_invalid`, `agent_error`, `interaction_expired`. */
export function* generateObject<T>(
  call: AgentCall & { readonly schema: z.ZodType<T>; readonly objectName: string },
): Program<T> {
  const shape = toAnswerSchema(call.schema);
  const parameters = { schema: toJsonSchema(call.schema), objectName: call.objectName };
  return yield* askUntilValid(call, 'generateObject', parameters, function* (data) {
    return extractObject(data, shape);
  });
}

/** An answer in words: some, and at most `longest` characters where that is given. Errors as for `generateObject`. */
export function* generateText(call: AgentCall & { readonly longest?: number }): Program<string> {
  const { longest = Number.POSITIVE_INFINITY } = call;
  return yield* askUntilValid(call, 'generateText', {}, function* (data) {
    const text = extractText(data);
    if (!text.ok) return text;
    if (text.value.trim() === '') return { ok: false, problem: 'the text is empty' };
    if (text.value.length <= longest) return text;
    return { ok: false, problem: `the text has ${text.value.length} characters and may have ${longest}` };
  });
}

/** The answer to a caller's own request: what was asked for, and the answer's data as the agent gave it. */
export interface CallerAnswer {
  readonly response: Json;
  readonly data: Json;
}

/** The request of a caller as it came, its schema included; the answer is the result. */
export function* generateForCaller(
  call: AgentCall & {
    readonly serviceType: ServiceType;
    readonly schema?: JsonObject;
    readonly parameters: JsonObject;
  },
): Program<CallerAnswer> {
  const { schema } = call;
  const read = function* (data: Json): Program<Validation<Json>> {
    if (schema !== undefined) return yield* checkAnswer(schema, data);
    if (call.serviceType !== 'generateObject') return readTextOrToolCalls(data);
    return extractObject(data, anyObjectSchema);
  };
  return yield* askUntilValid<CallerAnswer>(call, call.serviceType, call.parameters, function* (data) {
    const fit = yield* read(data);
    return fit.ok ? { ok: true, value: { response: fit.value, data } } : fit;
  });
}

/** An answer with tool calls, images or other content needs no text. */
function readTextOrToolCalls(data: Json): Validation<Json> {
  const text = extractText(data);
  const calls = isRecord(data) && Array.isArray(data['toolCalls']) ? data['toolCalls'] : [];
  return !text.ok && (calls.length > 0 || hasNonTextContent(data)) ? { ok: true, value: '' } : text;
}

function* askUntilValid<T>(
  call: AgentCall,
  serviceType: ServiceType,
  parameters: JsonObject,
  read: (data: Json) => Program<Validation<T>>,
): Program<T> {
  let correction: readonly Message[] = [];
  let wrong = 0;
  let recalls = 0;
  for (let attempt = 1; ; attempt++) {
    const answer = yield* askAgent(toDelegatedCall(call, serviceType, parameters, correction, attempt));
    if (answer.status === 'error') {
      if (!mayRecall(answer) || recalls === MAX_FAILURE_RETRIES) throw agentFailedError(answer, attempt);
      yield* sleep(FIRST_PAUSE_MS * 2 ** recalls);
      recalls++;
      continue;
    }
    const fit = yield* read(answer.data as Json);
    if (fit.ok) return fit.value;
    const problem = truncate(fit.problem, MAX_PROBLEM_LENGTH);
    if (wrong === MAX_CORRECTIONS) throw answerInvalidError(call, problem, attempt);
    wrong++;
    correction = correctionMessages(answer.data, problem);
  }
}

function toDelegatedCall(
  call: AgentCall,
  serviceType: ServiceType,
  parameters: JsonObject,
  correction: readonly Message[],
  attempt: number,
): DelegatedCall {
  const { role, modelId, summary, maxTokens, temperature } = call;
  const messages = correction.length === 0 ? call.messages : [...call.messages, ...correction];
  // Each replay comes here, and V8 takes thirty times as long for a literal that begins with a spread.
  const own = { apiKey: null, modelId, messages };
  const request: { -readonly [K in keyof LlmRequest]: LlmRequest[K] } = Object.assign({}, parameters, own);
  if (maxTokens !== undefined) request.maxTokens = maxTokens;
  if (temperature !== undefined) request.temperature = temperature;
  return { role, serviceType, attempt, summary, request };
}

type FailedAnswer = Extract<AgentAnswer, { status: 'error' }>;

function mayRecall({ errorDetails }: FailedAnswer): boolean {
  return errorDetails.type !== undefined && RETRYABLE_ERROR_TYPES.has(errorDetails.type);
}

function agentFailedError({ errorDetails }: FailedAnswer, attempts: number): BatonError {
  return new BatonError('agent_error', `The agent's LLM call failed: ${errorDetails.message}`, {
    errorDetails,
    attempts,
  });
}

function answerInvalidError(call: AgentCall, problem: string, attempts: number): BatonError {
  return new BatonError(
    'answer_invalid',
    `None of ${attempts} answers to "${call.summary}" fits what was asked for. The last one: ${problem}`,
    { problem, attempts },
  );
}
