import { fitReply } from '@baton/operations';
import { type Message, usageSumsSchema } from '@baton/protocol';
import type { ConversationSummary } from '@baton/store';
import { z } from 'zod';
import { isoTime } from '../delegation/iso-time.ts';

export const conversationSchema = z.object({
  conversationId: z.string(),
  principal: z.string().describe('Whose it is'),
  title: z.string().describe('How its first message begins'),
  createdAt: z.string(),
  lastUsedAt: z.string(),
  turns: z.int().describe('Messages that were answered'),
  messages: z.int().describe('What the assistant is shown of it'),
  droppedMessages: z.int().describe('Messages of its oldest turns, which have left it for the limits'),
  bytes: z.int(),
  usage: usageSumsSchema.describe('What its LLM calls used, those of failed turns included'),
});

export const conversationPageSchema = z.object({
  conversations: z.array(conversationSchema),
  nextCursor: z.string().optional(),
});

export const conversationDetailSchema = conversationSchema.extend({
  first: z.int().describe('The number of the first message here'),
  dialog: z.array(z.looseObject({ role: z.string() })),
  next: z.int().optional().describe('The number of the message to go on with; absent at the end'),
});

export function toConversation({ createdAt, usedAt, ...summary }: ConversationSummary) {
  return { ...summary, createdAt: isoTime(createdAt), lastUsedAt: isoTime(usedAt) };
}

interface ReadConversation {
  readonly summary: ConversationSummary;
  readonly first: number;
  readonly messages: readonly Message[];
  readonly next?: number;
}

/** A conversation with as many of the messages that were read as a reply has room for, one at least. */
export function conversationPart({ summary, messages, first, next }: ReadConversation) {
  const dialog = fitReply(messages, (message) => message);
  const goOn = dialog.length < messages.length ? first + dialog.length : next;
  return { ...toConversation(summary), first, dialog, ...(goOn === undefined ? {} : { next: goOn }) };
}
