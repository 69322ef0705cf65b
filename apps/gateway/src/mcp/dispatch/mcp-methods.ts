import { BATON_VERSION } from '@baton/protocol';
import { listToolsMethod } from '../../agents/list-tools.ts';
import { completionMethod } from '../../completion/completion-method.ts';
import type { McpMethod } from '../../json-rpc/mcp-method.ts';
import { promptMethods } from '../../prompts/prompt-methods.ts';
import { resourceMethods } from '../../resources/resource-methods.ts';

export const SERVER_INFO = { name: 'baton', title: 'Baton', version: BATON_VERSION };

export const INSTRUCTIONS =
  'Tools whose work needs an LLM answer with status "pending_agent_llm_action" and an llmRequestForAgent. Make that LLM ' +
  'call yourself, then call agent_llm with the interactionId and the outcome; its answer holds the finished result or ' +
  'the next request. If you lost an interaction, pending_interactions lists what waits, task_status tells how a task stands.';

/** What clients of every revision of MCP may ask for: every method but `tools/call` and those that one revision has for itself. */
export const METHODS_OF_ALL_REVISIONS: readonly McpMethod[] = [
  listToolsMethod,
  ...promptMethods,
  ...resourceMethods,
  completionMethod,
];
