/**
 * The client side of delegation: answers the LLM requests that Baton delegates, from any program that has an LLM.
 *
 *   answer-interactions  the entry: starts an agent           agent    claims, works on several, drains
 *   ask                  one request: asked, checked, repaired, tried again    post   delivers what came of it
 *   lease, pace, fit     the bounds of that work              gateway  Baton over MCP
 *   llm/                 answers by a model of the `ai` package, and the two kinds of endpoint behind one
 */
export { answerInteractions, type Answering, type AnsweringOptions } from './answer-interactions.ts';
export type { Answer } from './ask.ts';
export type { DelegatedRequest } from './delegated-request.ts';
export type { AgentEvent, Totals } from './event.ts';
export { AnswerFailure } from './failure.ts';
export { answerWith } from './llm/answer-with.ts';
export { llmEndpoint, type LlmEndpointOptions } from './llm/endpoint.ts';
