import { z } from 'zod';
import { isRecord, type Json } from '../json/json.ts';
import { attachableBlockSchema, describeBlock } from './content-block.ts';

/** Tool calls of one message or answer at most. */
export const MAX_TOOL_CALLS = 100;
/** A name of a function, or the id of a call, in characters. */
const MAX_NAME_LENGTH = 200;

/** A block of content as MCP has it (2025-11-25, server/tools), or as OpenAI and Anthropic write theirs: passed on as it came. */
const contentBlock = z.looseObject({ type: z.string() });
const content = z.union([z.string().max(1_000_000), z.array(contentBlock).max(1_000)]);
const callName = z.string().min(1).max(MAX_NAME_LENGTH);

/** A call of a function in OpenAI's form (chat completions): the arguments are JSON as text. */
const toolCall = z.object({
  id: callName,
  type: z.literal('function'),
  function: z.object({ name: callName, arguments: z.string().max(1_000_000) }),
});

const instruction = z.object({ role: z.enum(['system', 'user']), content });
const assistantTurn = z.object({
  role: z.literal('assistant'),
  content: content.nullable(),
  tool_calls: z.array(toolCall).max(MAX_TOOL_CALLS).exactOptional(),
});
const toolTurn = z.object({ role: z.literal('tool'), tool_call_id: callName, content });

export type ContentBlock = z.infer<typeof contentBlock>;
export type ToolCall = z.infer<typeof toolCall>;
/** One message of a dialog. `content` is null only in an assistant's turn of nothing but tool calls. */
export type Message = z.infer<typeof instruction> | z.infer<typeof assistantTurn> | z.infer<typeof toolTurn>;

/** A function that a model may call, in OpenAI's form. */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of the arguments, an object's. */
    readonly parameters: { readonly [keyword: string]: Json };
  };
}

/**
 * A message as callers send it; fields beside those of a Message are kept. Tool calls are taken in Baton's own form too
 * (`toolCalls [{ id, name, arguments }]`, `toolCallId`), and become OpenAI's.
 */
export const messageSchema = z.preprocess(
  toOpenAiForm,
  z.discriminatedUnion('role', [
    instruction.loose(),
    assistantTurn
      .extend({ tool_calls: z.array(toolCall.loose()).max(MAX_TOOL_CALLS).exactOptional() })
      .loose()
      .refine((turn) => turn.content !== null || (turn.tool_calls ?? []).length > 0, {
        path: ['content'],
        error: 'may be null only beside tool_calls',
      }),
    toolTurn.loose(),
  ]),
);

function toOpenAiForm(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const { toolCalls, toolCallId, ...turn } = message;
  if (message['role'] === 'tool') {
    const id = message['tool_call_id'] ?? toolCallId;
    return id === undefined ? turn : { ...turn, tool_call_id: id };
  }
  if (message['role'] !== 'assistant') return message;
  const calls = message['tool_calls'] ?? toolCalls;
  if (calls === undefined || calls === null) return withoutField(turn, 'tool_calls');
  const content = message['content'] ?? null;
  if (!Array.isArray(calls)) return { ...turn, content, tool_calls: calls };
  // An empty list says nothing, and some endpoints refuse it.
  if (calls.length === 0) return withoutField(turn, 'tool_calls');
  return { ...turn, content, tool_calls: calls.map(toOpenAiCall) };
}

function withoutField(record: Record<string, unknown>, field: string): Record<string, unknown> {
  const { [field]: _, ...others } = record;
  return others;
}

function toOpenAiCall(call: unknown): unknown {
  if (!isRecord(call)) return call;
  const { name, arguments: flat, ...others } = call;
  const inner = isRecord(call['function']) ? call['function'] : { name, arguments: flat ?? {} };
  const given = inner['arguments'];
  const text = isRecord(given) ? JSON.stringify(given) : given;
  return { ...others, type: call['type'] ?? 'function', function: { ...inner, arguments: text } };
}

/** The words of a message's content; other blocks are left out. */
export function messageText({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}

/** A message with MCP's blocks named, as in `[image/png]`, where it would be shown to nobody who reads them; blocks of other kinds stay. */
export function withContentNamed<M extends Message>(message: M): M {
  const { content } = message;
  if (typeof content === 'string' || content === null) return message;
  const named = content.map((block) => {
    const read = attachableBlockSchema.safeParse(block);
    return read.success ? { type: 'text', text: describeBlock(read.data) } : block;
  });
  const isWords = named.every(({ type, text }) => type === 'text' && typeof text === 'string');
  return { ...message, content: isWords ? messageText({ ...message, content: named }) : named };
}
