/**
 * Pure: what agents and prompts are. `agent` and `prompt` parse their definitions, `lookup` is how programs find them.
 * No clock, no randomness, no I/O.
 */
export { agentIdSchema, type AgentDefinition } from './agent/agent.ts';
export { agentOf } from './agent/stored-agent.ts';
export { agentCatalogOf, type AgentCatalog, type Specialist } from './agent/agent-catalog.ts';
export type { PromptDefinition } from './prompt/prompt.ts';
export { promptOf } from './prompt/stored-prompt.ts';
export { lookupAgent, lookupAgents, lookupPrompt } from './lookup/lookups.ts';
