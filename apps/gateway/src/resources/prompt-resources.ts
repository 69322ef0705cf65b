import { requireOperationPrompt, promptMarkdown, promptNames } from '@baton/operations';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineResource } from './resource-kind.ts';

/** The prompts of an operation, for people to read; tool results never contain them. */
export const promptResource = defineResource({
  template: 'baton://prompts/{operation}',
  name: 'prompt',
  title: 'Prompt of an operation',
  description: 'What an operation tells the LLM, whatever the project.',
  mimeType: 'text/markdown',
  annotations: { audience: ['user'], priority: 0.3 },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  completions: { operation: async () => ({ values: promptNames }) },
  topic: () => undefined,
  mayChangeWith: () => false,
  read: async ({ operation = '' }) => ({
    title: `Prompt: ${requireOperationPrompt(operation).title}`,
    body: { text: promptMarkdown(operation) },
  }),
});
