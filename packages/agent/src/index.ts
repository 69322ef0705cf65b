/**
 * The client side of delegation: answers the LLM requests that Baton delegates, from any program that has an LLM.
 *
 *   answer-interactions  the entry: starts an agent           agent    claims, works on several, drains
 *   ask                  one request: asked, checked, repaired, tried again    post   delivers what came of it
 *   lease, pace, fit     the bounds of that work              gateway  Baton over MCP
 *   llm/                 answers by a model of the `ai` package, and the two kinds of endpoint behind one
 */
export {
  answerInteractions,
  type RunningAgent,
  type AnswerInteractionsOptions,
} from './answer-interactions.ts';
export type { AnswerFunction } from './request/call-llm.ts';
export type { DelegatedRequest } from './api/delegated-request.ts';
export type { AgentEvent, Totals } from './api/events.ts';
export { AnswerFailure } from './api/answer-failure.ts';
export { answerWith } from './llm/answer-with.ts';
export { llmEndpoint, type LlmEndpointOptions } from './llm/llm-endpoint.ts';
