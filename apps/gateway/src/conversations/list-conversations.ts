import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineEdgeAdmittedTool } from '../tools/tool.ts';
import { conversationPageSchema, toConversation } from './conversation-view.ts';

/** The caller's conversations with the assistant. */
export const listConversationsTool = defineEdgeAdmittedTool({
  name: 'list_conversations',
  title: 'List conversations',
  category: 'agents',
  description: 'Lists your conversations with the assistant, those used last first.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input: z.strictObject({ cursor: z.string().max(500).optional() }),
  output: [conversationPageSchema],
  run: async ({ cursor }, { tenant, identity }) => {
    const { items, ...next } = await tenant.conversations.page(identity, cursor);
    const conversations = items.map(toConversation);
    return {
      text: `${items.length} conversation${items.length === 1 ? '' : 's'}${next.nextCursor ? ', and more' : ''}.`,
      structured: { conversations, ...next },
    };
  },
});
