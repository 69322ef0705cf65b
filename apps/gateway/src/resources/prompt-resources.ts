import { promptMarkdown, promptNames, requireToolText } from '@baton/operations';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE, MCP_SCOPE } from '../call/access.ts';
import { defineResource, jsonBody } from './resource-kind.ts';

/** The texts of a tool for people to read, its prompt among them; tool results never contain them. */
export const promptResource = defineResource({
  template: 'baton://prompts/{operation}',
  name: 'prompt',
  title: 'Prompt of a tool',
  description: 'What a tool does and what may come next, and what it tells the LLM where it has one work.',
  mimeType: 'text/markdown',
  annotations: { audience: ['user'], priority: 0.3 },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  completions: { operation: async () => ({ values: promptNames }) },
  topic: () => undefined,
  mayChangeWith: () => false,
  read: async ({ operation = '' }) => ({
    title: `Prompt: ${requireToolText(operation).title}`,
    body: { text: promptMarkdown(operation) },
  }),
});

/** A workflow's definition, as it is now. */
export const workflowResource = defineResource({
  template: 'baton://workflows/{name}',
  name: 'workflow',
  title: 'A workflow',
  description: 'The definition of a workflow, whose prompt has the same name: its arguments and its steps.',
  mimeType: 'application/json',
  annotations: { audience: ['user', 'assistant'], priority: 0.4 },
  access: edgeAdmittedAccess(MCP_SCOPE),
  completions: { name: async (_given, { tenant }) => ({ values: await tenant.workflows.names() }) },
  topic: ({ name = '' }) => `workflow ${name}`,
  mayChangeWith: () => true,
  read: async ({ name = '' }, { tenant }) => {
    const { version, storedAt, definition } = await tenant.workflows.get(name);
    return { body: jsonBody({ version, ...definition }), title: `Workflow: ${name}`, lastModified: storedAt };
  },
});
