/**
 * Pure: what agents and prompts are. `agent` parses an agent, or imports one of Rustbot's, and lists them; `prompt` parses and renders a
 * prompt; `parsers` read its answers, `classify` those of classifiers; `definition` is what agents and prompts share, `lookup` how programs find them. No clock, no randomness, no I/O.
 */
export { type AgentDefinition, type AgentInput, agentIdSchema, agentSchema } from './agent/agent.ts';
export {
  type AgentCatalog,
  type AgentEntry,
  type AgentSummary,
  agentCatalogOf,
  agentSummaryOf,
  type Specialist,
  specialistOf,
} from './agent/agent-catalog.ts';
export { idFromName, importRustbot } from './agent/import-rustbot.ts';
export { type AgentSurroundings, parseAgent, toolNameOf } from './agent/parse-agent.ts';
export { toAgentDefinition, versionOf } from './agent/stored-agent.ts';
export { MAX_CLASSES } from './classify/classes.ts';
export { type ClassifiedText, classifyText } from './classify/classify.ts';
export { readAgentDefinition, readAgentCatalog, readPromptDefinition } from './lookup/lookups.ts';
export { answerParserOf, type ParserArgs, parserArgsSchema } from './parsers/answer-parser.ts';
export type { Hints } from './prompt/hints.ts';
export { HANDLER_VALUES, parsePrompt, type PromptSurroundings } from './prompt/parse-prompt.ts';
export {
  type CallerFunction,
  type ParserTag,
  type PromptArgument,
  type PromptDefinition,
  type PromptInput,
  type PromptParser,
  promptNameSchema,
  promptSchema,
} from './prompt/prompt.ts';
export { type PromptSummary, promptSummaryOf } from './prompt/prompt-summary.ts';
export { renderPrompt, requireArguments } from './prompt/render-prompt.ts';
export { type ApiHints, type RequestHints, requestHintsOf } from './prompt/request-hints.ts';
export { toPromptDefinition } from './prompt/stored-prompt.ts';
export { fillTemplate, namesIn } from './prompt/template.ts';
