import type { AnyJson } from '../../harness/mcp-client.ts';
import { answersOf, type PlannedCall, type PlannedTurn } from './planned-turn.ts';

/** A content that ends with this is how the content begins. */
const AND_MORE = '…';

/** What a turn adds to its conversation, function calls with the ids that the agent gave them. */
export function messagesOf(turn: PlannedTurn): AnyJson[] {
  const [asked, ...answered] = dialogOf(turn);
  return turn.fails ? [] : [asked, ...answered, { role: 'assistant', content: turn.primary.at(-1)?.text }];
}

/** The dialog of a result names pictures, whose bytes stand in its content. */
export function inWords(message: AnyJson): AnyJson {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  return { ...message, content: content.map(({ text }) => text ?? '[image/png]').join('\n') };
}

export const imageBlock = (data: string) => ({ type: 'image', data, mimeType: 'image/png' });

/** The pictures that a turn's specialists gave, in base64. */
export function imagesOf({ calls }: PlannedTurn): string[] {
  return calls.flatMap(({ end }) => (end.kind === 'words' && end.image !== undefined ? [end.image] : []));
}

/** The dialog of a turn before the primary's answer with the number `before`; before its last one, where it is left out. */
export function dialogOf({ message, primary }: PlannedTurn, before = primary.length): AnyJson[] {
  const dialog: AnyJson[] = [{ role: 'user', content: message }];
  for (const { kind, text, calls = [] } of primary.slice(0, before)) {
    if (kind !== 'calls') continue;
    const tool_calls = calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    dialog.push({ role: 'assistant', content: text ?? null, tool_calls });
    for (const call of calls) dialog.push({ role: 'tool', tool_call_id: call.id, content: resultOf(call) });
  }
  return dialog;
}

function resultOf({ name, end }: PlannedCall): string | object[] {
  switch (end.kind) {
    case 'words':
      return end.image === undefined ? end.text : [{ type: 'text', text: end.text }, imageBlock(end.image)];
    case 'failed':
      return `Error: The agent '${name}' failed: agent_error: The agent's LLM call failed: ${end.text}`;
    case 'unknown':
      return `Error: There is no function '${name}'.${AND_MORE}`;
    case 'unfit':
      return `Error: The arguments of '${name}' do not fit its parameters: ${AND_MORE}`;
    case 'repeated':
      return `This function was called before with the same arguments${AND_MORE}`;
  }
}

/** The whole conversation after `turns`, its function calls with ids that are its own. */
export function conversationOf(turns: readonly PlannedTurn[]): AnyJson[] {
  const all: AnyJson[] = [];
  for (const turn of turns) all.push(...withIdsOfTurn(messagesOf(turn), all.length));
  return all;
}

/** A turn marks its ids with the number of its first message. */
function withIdsOfTurn(messages: readonly AnyJson[], first: number): AnyJson[] {
  const own = (id: string) => `${id}_t${first}`;
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, tool_call_id: own(message.tool_call_id) };
    if (message.tool_calls === undefined) return message;
    return {
      ...message,
      tool_calls: message.tool_calls.map((call: AnyJson) => ({ ...call, id: own(call.id) })),
    };
  });
}

/** What is wrong with messages; undefined when they are what is expected. */
export function differenceOf(found: readonly AnyJson[], expected: readonly AnyJson[]): string | undefined {
  if (found.length !== expected.length)
    return `${found.length} messages instead of ${expected.length}: ${found.map(({ role }) => role).join()}`;
  for (const [at, message] of found.entries()) {
    const wanted = expected[at];
    const { content } = wanted;
    const isPrefix = typeof content === 'string' && content.endsWith(AND_MORE);
    const fits = isPrefix
      ? typeof message.content === 'string' && message.content.startsWith(content.slice(0, -1))
      : JSON.stringify(message.content) === JSON.stringify(content);
    const { content: _, ...restOfFound } = message;
    const { content: __, ...restOfWanted } = wanted;
    if (!fits || sorted(restOfFound) !== sorted(restOfWanted))
      return `message ${at} is ${JSON.stringify(message)} instead of ${JSON.stringify(wanted)}`;
  }
  return undefined;
}

/** JSON whose order of fields does not count on the first level. */
const sorted = (value: object) =>
  JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Calls and tokens of turns: all, or those of one agent. */
export function usageOf(turns: readonly PlannedTurn[], agent?: string) {
  const counted = turns.flatMap(answersOf).filter((one) => agent === undefined || one.agent === agent);
  const sum = (of: 'inputTokens' | 'outputTokens') =>
    counted.reduce((total, { answer }) => total + answer.usage[of], 0);
  return { calls: counted.length, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
}
