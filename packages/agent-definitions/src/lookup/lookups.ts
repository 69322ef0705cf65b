import { lookup, type Program } from '@baton/engine';
import type { AgentDefinition } from '../agent/agent.ts';
import type { AgentCatalog } from '../agent/agent-catalog.ts';
import type { PromptDefinition } from '../prompt/prompt.ts';

/** The tenant's primary agent, and what its tools need of the enabled specialists. */
export function readAgentCatalog(): Program<AgentCatalog> {
  return lookup({ agents: true });
}

/** An agent as it is now, enabled or not. Errors: `agent_not_found`. */
export function readAgentDefinition(id: string): Program<AgentDefinition> {
  return lookup({ agent: id });
}

/** A prompt, by default its newest version. Errors: `prompt_not_found`. */
export function readPromptDefinition(name: string, version?: number): Program<PromptDefinition> {
  return lookup(version === undefined ? { prompt: name } : { prompt: name, version });
}
