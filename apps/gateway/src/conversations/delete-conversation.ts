import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineEdgeAdmittedTool } from '../tools/tool.ts';

/** Deletes a conversation with its messages. */
export const deleteConversationTool = defineEdgeAdmittedTool({
  name: 'delete_conversation',
  title: 'Delete a conversation',
  category: 'agents',
  description:
    'Deletes a conversation with its messages. There is no way back; a message that is being answered in it fails.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input: z.strictObject({ conversationId: z.string().min(1).max(100) }),
  output: [z.object({ conversationId: z.string(), deleted: z.literal(true) })],
  run: async ({ conversationId }, { tenant, identity }) => {
    await tenant.conversations.delete(identity, conversationId);
    return {
      text: `Conversation ${conversationId} is deleted.`,
      structured: { conversationId, deleted: true },
    };
  },
});
