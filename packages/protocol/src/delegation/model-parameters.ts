/**
 * What a caller's own LLM request may hold beside `messages`: what to ask of a model. Everything else is dropped, so that
 * no request says where its call goes, with which credential or headers, or what its body holds besides
 * (`baseURL`, `api_key`, `headers`, `extra_body` and whatever else a client library gives such a meaning).
 */
const MODEL_PARAMETERS: ReadonlySet<string> = new Set([
  'modelId',
  'messages',
  'system',
  'maxTokens',
  'max_tokens',
  'maxOutputTokens',
  'max_completion_tokens',
  'temperature',
  'topP',
  'top_p',
  'topK',
  'top_k',
  'minP',
  'min_p',
  'seed',
  'stop',
  'stopSequences',
  'stop_sequences',
  'n',
  'presencePenalty',
  'presence_penalty',
  'frequencyPenalty',
  'frequency_penalty',
  'repetitionPenalty',
  'repetition_penalty',
  'logitBias',
  'logit_bias',
  'logprobs',
  'topLogprobs',
  'top_logprobs',
  'reasoning',
  'reasoningEffort',
  'reasoning_effort',
  'thinking',
  'verbosity',
  'schema',
  'schemaName',
  'schemaDescription',
  'objectName',
  'output',
  'mode',
  'responseFormat',
  'response_format',
  'modalities',
  'tools',
  'toolChoice',
  'tool_choice',
  'parallelToolCalls',
  'parallel_tool_calls',
]);

/** The model parameters among what a caller gave; null leaves one out. */
export function pickModelParameters<T extends object>(given: T): T {
  const kept = Object.entries(given).filter(([name, value]) => MODEL_PARAMETERS.has(name) && value !== null);
  return Object.fromEntries(kept) as T;
}
