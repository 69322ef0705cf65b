import { operationPrompt, promptMarkdown, promptNames } from '@baton/operations';
import { callAdmittedAtEdge, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineResource } from './resource-kind.ts';

/** What an operation tells the LLM, for people; results of tools never carry it. */
export const promptResource = defineResource({
  template: 'baton://prompts/{operation}',
  name: 'prompt',
  title: 'Prompt of an operation',
  description: 'What an operation tells the LLM, whatever the project.',
  mimeType: 'text/markdown',
  annotations: { audience: ['user'], priority: 0.3 },
  access: callAdmittedAtEdge(MCP_OR_AGENT_SCOPE),
  completions: { operation: async () => ({ values: promptNames }) },
  topic: () => undefined,
  mayChangeWith: () => false,
  read: async ({ operation = '' }) => ({
    title: `Prompt: ${operationPrompt(operation).title}`,
    body: { text: promptMarkdown(operation) },
  }),
});
