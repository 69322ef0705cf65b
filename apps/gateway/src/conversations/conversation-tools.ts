import { integerOrDigits } from '@baton/operations';
import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineEdgeAdmittedTool } from '../tools/tool.ts';
import {
  conversationDetailSchema,
  conversationPageSchema,
  conversationPart,
  toConversation,
} from './conversation-view.ts';
import type { Tool } from '../call/call.ts';

const ACCESS = edgeAdmittedAccess(MCP_OR_AGENT_SCOPE);
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const conversationId = z.string().min(1).max(100);

/** The caller's conversations with the assistant. */
const listConversationsTool = defineEdgeAdmittedTool({
  name: 'list_conversations',
  title: 'List conversations',
  category: 'agents',
  description: 'Lists your conversations with the assistant, those used last first.',
  hints: READS,
  access: ACCESS,
  input: z.strictObject({ cursor: z.string().min(1).max(500).optional() }),
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

/** A conversation with its messages. */
const getConversationTool = defineEdgeAdmittedTool({
  name: 'get_conversation',
  title: 'Show a conversation',
  category: 'agents',
  description:
    'Shows a conversation with the assistant and its messages from number `from` on, at most 100, as far as a reply has room.',
  hints: READS,
  isLong: true,
  access: ACCESS,
  input: z.strictObject({
    conversationId,
    from: integerOrDigits(z.int().min(0)).default(0).describe('The number of the first message'),
  }),
  output: [conversationDetailSchema],
  run: async ({ conversationId, from }, { tenant, identity }) => {
    const structured = conversationPart(await tenant.conversations.read(identity, conversationId, from));
    const { messages, dialog, first } = structured;
    return { text: `${messages} messages; these are ${dialog.length}, from ${first} on.`, structured };
  },
});

/** Deletes a conversation with its messages. */
const deleteConversationTool = defineEdgeAdmittedTool({
  name: 'delete_conversation',
  title: 'Delete a conversation',
  category: 'agents',
  description:
    'Deletes a conversation with its messages. There is no way back; a message that is being answered in it fails.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  access: ACCESS,
  input: z.strictObject({ conversationId }),
  output: [z.object({ conversationId: z.string(), deleted: z.literal(true) })],
  run: async ({ conversationId }, { tenant, identity }) => {
    await tenant.conversations.delete(identity, conversationId);
    return {
      text: `Conversation ${conversationId} is deleted.`,
      structured: { conversationId, deleted: true },
    };
  },
});

const tools: readonly Tool[] = [listConversationsTool, getConversationTool, deleteConversationTool];

/** The tools of conversations, by name. */
export const conversationTools: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]));
