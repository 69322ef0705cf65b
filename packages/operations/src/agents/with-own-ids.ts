import type { Message } from '@baton/protocol';

/**
 * The messages of a turn as its conversation keeps them, with ids of function calls that no other turn has, and no later one may get:
 * models number the calls of each answer from the beginning, and endpoints refuse a dialog that repeats an id. `first` is the number of the turn's first message.
 */
export function withOwnIds(messages: readonly Message[], first: number): readonly Message[] {
  const own = (id: string) => `${id}_t${first}`;
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, tool_call_id: own(message.tool_call_id) };
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: own(call.id) })) };
  });
}
