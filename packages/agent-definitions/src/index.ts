/**
 * Pure: what agents and prompts are. `agent` parses an agent, or imports one of Rustbot's, and lists them; `prompt` parses and renders a
 * prompt; `parsers` read its answers, `classify` those of classifiers; `definition` is what agents and prompts share, `lookup` how programs find them. No clock, no randomness, no I/O.
 */
export {
  type AgentDefinition,
  type AgentInput,
  agentIdSchema,
  agentSchema,
  toAgentDefinition,
  versionOf,
} from './agent/agent.ts';
export {
  type AgentCatalog,
  type AgentEntry,
  agentCatalogOf,
  agentSummaryOf,
  parametersOf,
  type Specialist,
  specialistOf,
} from './agent/agent-catalog.ts';
export { importRustbot } from './agent/import-rustbot.ts';
export { parseAgent, refuseGroupCycle, toolNameOf } from './agent/parse-agent.ts';
export { MAX_CLASSES } from './classify/classes.ts';
export { classifyText } from './classify/classify.ts';
export { readAgentDefinition, readAgentCatalog, readPromptDefinition } from './lookup/lookups.ts';
export { answerParserOf, parserArgsSchema } from './parsers/answer-parser.ts';
export { delimitJsonLines, delimitText } from './prompt/delimiters.ts';
export type { Hints } from './prompt/hints.ts';
export { parsePrompt } from './prompt/parse-prompt.ts';
export {
  type CallerFunction,
  type ParserTag,
  type PromptDefinition,
  type PromptInput,
  type PromptSummary,
  promptSummaryOf,
  toPromptDefinition,
  type PromptParser,
  promptNameSchema,
  promptSchema,
} from './prompt/prompt.ts';
export {
  coercePromptArguments,
  promptArgumentError,
  requirePromptArguments,
} from './prompt/prompt-arguments.ts';
export { renderPrompt } from './prompt/render-prompt.ts';
export { requestHintsOf } from './prompt/request-hints.ts';
export { fillTemplate, namesIn } from './prompt/template.ts';
