import type { AgentDefinition } from '@baton/agent-definitions';
import { describeZodError } from '@baton/engine';
import {
  type AttachableBlock,
  attachableBlockSchema,
  isRecord,
  type Json,
  type Message,
  type Validation,
} from '@baton/protocol';
import { z } from 'zod';

/** Blocks beside the words of one message, and bytes of their JSON: a conversation shows them to its model with each later turn. */
const MAX_BLOCKS = 20;
const MAX_BYTES = 131_072;

export const CONTENT_DESCRIPTION =
  'Blocks of content beside the words, as MCP has them: image, audio, resource_link, resource';

/** The argument `message` of whatever asks an agent. */
export const messageTextSchema = z.string().regex(/\S/, 'must not be blank');

/** The argument `content` of whatever asks an agent. */
export const messageBlocksSchema = z
  .array(attachableBlockSchema)
  .max(MAX_BLOCKS)
  .superRefine((blocks, context) => {
    const bytes = Buffer.byteLength(JSON.stringify(blocks));
    if (bytes <= MAX_BYTES) return;
    const message = `must be at most ${MAX_BYTES} bytes as JSON, and has ${bytes}`;
    context.addIssue({ code: 'custom', message });
  });

/** A message of its words with the content behind them. */
export function userMessage(words: string, content: readonly AttachableBlock[] = []): Message {
  if (content.length === 0) return { role: 'user', content: words };
  return { role: 'user', content: [{ type: 'text', text: words }, ...content] };
}

const messageArguments = z.strictObject({
  message: messageTextSchema,
  content: messageBlocksSchema.optional(),
});

/** What a specialist is asked: its message with the content beside it, or, where it has parameters of its own, its arguments as JSON. */
export function readTaskMessage(
  { parameters }: Pick<AgentDefinition, 'parameters'>,
  args: Json,
): Validation<Message> {
  if (parameters !== undefined)
    return { ok: true, value: userMessage(messageIn(args) ?? JSON.stringify(args)) };
  const { data, error } = messageArguments.safeParse(args);
  if (error !== undefined) return { ok: false, problem: describeZodError(error) };
  return { ok: true, value: userMessage(data.message, data.content) };
}

/** The message of arguments that are nothing but one. */
function messageIn(args: Json): string | undefined {
  const only = isRecord(args) && Object.keys(args).length === 1 ? args['message'] : undefined;
  return typeof only === 'string' ? only : undefined;
}
