/**
 * The client side of delegation: answers the LLM requests that Baton delegates, from any program that has an LLM.
 *
 *   answer-interactions  the entry: starts an agent           agent    claims, works on several requests, drains
 *   request/  one claimed request: lease, LLM call, check, repair, retries, post
 *   gateway/  Baton over MCP, and claims over a connection of their own
 *   llm/      an answer function for models of the `ai` package          timing/  sleeps, back-off, clocks
 *   endpoint/  whether the LLM answers at all: probes, and the pause of the whole agent
 *   api/      what a program that embeds the agent sees: requests, events, failures
 */
export {
  answerInteractions,
  type RunningAgent,
  type AnswerInteractionsOptions,
} from './answer-interactions.ts';
export type { AnswerFunction } from './api/answer-function.ts';
export type { DelegatedRequest } from './api/delegated-request.ts';
export type { AgentEvent, TaskState, Totals } from './api/events.ts';
export { LlmCallFailure } from './api/llm-call-failure.ts';
export type { Usage } from './api/usage.ts';
export { type AnswerWithOptions, answerWith } from './llm/answer-with-model.ts';
export { isPublicHostName } from './llm/request-media.ts';
export { createModelFactory, type LlmEndpointOptions, PROVIDER_ADDRESSES } from './llm/model-factory.ts';
