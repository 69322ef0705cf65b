import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import { defineResource, jsonBody } from './resource-kind.ts';

/** An agent, as it is now. */
export const agentResource = defineResource({
  template: 'baton://agents/{id}',
  name: 'agent',
  title: 'An agent',
  description:
    "The definition of an agent, and whether it is enabled and the primary. An enabled specialist's tool is agent_<id>.",
  mimeType: 'application/json',
  annotations: { audience: ['user', 'assistant'], priority: 0.4 },
  access: edgeAdmittedAccess(MCP_SCOPE),
  completions: { id: async (_given, { tenant }) => ({ values: await tenant.agents.names() }) },
  topic: ({ id = '' }) => `agent ${id}`,
  mayChangeWith: () => true,
  read: async ({ id = '' }, { tenant: { agents } }) => {
    const {
      stored: { version, storedAt, definition },
      entry: { enabled, isPrimary },
    } = await agents.read(id);
    return {
      body: jsonBody({ version, ...definition, enabled, isPrimary }),
      title: `Agent: ${id}`,
      lastModified: storedAt,
    };
  },
});
