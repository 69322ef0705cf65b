import { isRecord, type JsonObject, type LlmRequest } from '@baton/protocol';

/** The model parameters that reach an endpoint, each with the names under which a request may give it: the first that is there counts. */
const NAMES = {
  temperature: ['temperature'],
  topP: ['topP', 'top_p'],
  topK: ['topK', 'top_k'],
  presencePenalty: ['presencePenalty', 'presence_penalty'],
  frequencyPenalty: ['frequencyPenalty', 'frequency_penalty'],
  seed: ['seed'],
  stop: ['stopSequences', 'stop_sequences', 'stop'],
  reasoningEffort: ['reasoningEffort', 'reasoning_effort'],
  parallelToolCalls: ['parallelToolCalls', 'parallel_tool_calls'],
  toolChoice: ['toolChoice', 'tool_choice'],
  responseFormat: ['responseFormat', 'response_format'],
} as const;

export function readParameter(request: LlmRequest, parameter: keyof typeof NAMES): unknown {
  return NAMES[parameter].map((name) => request[name]).find((value) => value !== undefined && value !== null);
}

/** The form of answer that OpenAI's `response_format` asks for: JSON, of a schema where it has one; undefined for any other. */
export function jsonFormatOf(request: LlmRequest): { readonly schema?: JsonObject } | undefined {
  const format = readParameter(request, 'responseFormat');
  if (!isRecord(format)) return undefined;
  if (format['type'] === 'json_object') return {};
  if (format['type'] !== 'json_schema') return undefined;
  const own = isRecord(format['json_schema']) ? format['json_schema'] : format;
  return isRecord(own['schema']) ? { schema: own['schema'] as JsonObject } : {};
}
