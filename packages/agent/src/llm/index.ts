/**
 * LLM calls by the `ai` package, for whoever makes them: `answer-with-model` answers a delegated request, by a model that
 * `model-factory` makes for an endpoint; `classify-llm-error` names what went wrong.
 */
export { LlmCallFailure, toLlmCallFailure } from '../api/llm-call-failure.ts';
export { addEarlierUsage, type Usage, usageOf } from '../api/usage.ts';
export type { DelegatedRequest } from '../api/delegated-request.ts';
export { answerWith } from './answer-with-model.ts';
export { createModelFactory } from './model-factory.ts';
