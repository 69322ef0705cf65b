import type { Tool } from '../tools/tool.ts';
import { deleteConversationTool } from './delete-conversation.ts';
import { getConversationTool } from './get-conversation.ts';
import { listConversationsTool } from './list-conversations.ts';

const tools = [listConversationsTool, getConversationTool, deleteConversationTool];

/** The tools of conversations, by name. */
export const conversationTools: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]));
