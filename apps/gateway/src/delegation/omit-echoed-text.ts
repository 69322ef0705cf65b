import type { UnechoedText } from '@baton/operations';
import type { Directive, Message } from '@baton/protocol';
import type { ToolReply } from '../call/tool-reply.ts';

/** A shorter text costs less than what stands in its place. */
const SHORTEST = 500;

/**
 * A directive without a text of the call that it answers: a mark stands in its place, which names the argument. Whoever else fetches the
 * request has it whole. A text that the request does not hold as it came stays what it is there.
 */
export function omitEchoedText(reply: ToolReply, unechoed: UnechoedText | undefined): ToolReply {
  const asked = reply.structured as Partial<Directive>;
  const { llmRequestForAgent: request, message = '' } = asked;
  if (unechoed === undefined || request === undefined || unechoed.text.length < SHORTEST) return reply;
  const { argument, text } = unechoed;
  const mark = `[${argument}: put its ${text.length} characters here]`;
  const messages = request.messages.map((one) => withMark(one, text, mark));
  if (messages.every((one, at) => one === request.messages[at])) return reply;
  const note = `${argument} is left out of it (echo: false): where ${mark} stands, put the text of your call.`;
  return {
    ...reply,
    text: `${note} ${reply.text}`,
    structured: { ...asked, message: `${message} ${note}`, llmRequestForAgent: { ...request, messages } },
  };
}

function withMark(message: Message, text: string, mark: string): Message {
  const { content } = message;
  if (typeof content !== 'string') return message;
  const at = content.indexOf(text);
  if (at === -1) return message;
  return { ...message, content: content.slice(0, at) + mark + content.slice(at + text.length) } as Message;
}
