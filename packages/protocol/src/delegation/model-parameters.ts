/** The names of a limit of tokens, of which a request may give several. */
const TOKEN_LIMITS = [
  'maxTokens',
  'max_tokens',
  'maxOutputTokens',
  'max_output_tokens',
  'max_completion_tokens',
] as const;

/**
 * What a caller's own LLM request may hold beside `messages`: what to ask of a model. Everything else is dropped, so that
 * no request says where its call goes, with which credential or headers, or what its body holds besides
 * (`baseURL`, `api_key`, `headers`, `extra_body` and whatever else a client library gives such a meaning).
 */
const MODEL_PARAMETERS: ReadonlySet<string> = new Set([
  'modelId',
  'messages',
  'system',
  ...TOKEN_LIMITS,
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

/** The most tokens that a request allows: of several limits the lowest; undefined without one. */
export function tokenLimitOf(request: Readonly<Record<string, unknown>>): number | undefined {
  const limits = TOKEN_LIMITS.map((name) => request[name]).filter(
    (limit): limit is number => typeof limit === 'number',
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The request with another limit of tokens, in the place of all that it has. */
export function withTokenLimit<T extends object>(request: T, maxTokens: number): T & { maxTokens: number } {
  const rest = Object.entries(request).filter(
    ([name]) => !(TOKEN_LIMITS as readonly string[]).includes(name),
  );
  return Object.assign(Object.fromEntries(rest) as T, { maxTokens });
}
