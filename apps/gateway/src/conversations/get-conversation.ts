import { integerOrDigits } from '@baton/operations';
import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineEdgeAdmittedTool } from '../tools/tool.ts';
import { conversationDetailSchema, conversationPart } from './conversation-view.ts';

/** A conversation with its messages. */
export const getConversationTool = defineEdgeAdmittedTool({
  name: 'get_conversation',
  title: 'Show a conversation',
  category: 'agents',
  description:
    'Shows a conversation with the assistant and its messages from number `from` on, at most 100, as far as a reply has room.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  isLong: true,
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input: z.strictObject({
    conversationId: z.string().min(1).max(100),
    from: integerOrDigits(z.int().min(0)).default(0).describe('The number of the first message'),
  }),
  output: [conversationDetailSchema],
  run: async ({ conversationId, from }, { tenant, identity }) => {
    const structured = conversationPart(await tenant.conversations.read(identity, conversationId, from));
    const { messages, dialog, first } = structured;
    return { text: `${messages} messages; these are ${dialog.length}, from ${first} on.`, structured };
  },
});
