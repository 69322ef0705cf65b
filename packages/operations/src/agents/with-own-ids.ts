import type { Message } from '@baton/protocol';

/**
 * The messages of a turn, with ids of function calls that no other turn of its conversation has: models number the calls of each answer
 * from the beginning, and endpoints refuse a dialog that repeats an id. `first` is the number of the turn's first message.
 */
export function withOwnIds(messages: readonly Message[], first: number): readonly Message[] {
  if (first === 0) return messages;
  const own = (id: string) => `${id}_${first}`;
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, tool_call_id: own(message.tool_call_id) };
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: own(call.id) })) };
  });
}
