import { blockText, isRecord, parseJson } from '@baton/protocol';
import type { AssistantContent, ModelMessage, ToolContent, UserContent } from 'ai';
import { CallNaming } from './convert-tools.ts';
import { mediaTypeOrDefault, RequestMedia, requireBase64 } from './request-media.ts';

/** A dialog as the `ai` package takes it: what the model is told by whoever runs it, and the turns. */
export interface ModelDialog {
  readonly system: string;
  readonly messages: ModelMessage[];
}

/** What a turn without words says: endpoints refuse blank text, and some of them turns that do not alternate. */
const BLANK_TURN = '(nothing)';

/**
 * The messages of a delegated request. Their content is text, or blocks in MCP's form or OpenAI's; tool calls are
 * read in either form too. System messages stand together at the beginning, since not every API takes them elsewhere. Blank text is
 * left out, and a turn of nothing else says `(nothing)`.
 * Errors: LlmCallFailure `address_refused`.
 */
export function convertMessages(
  given: readonly unknown[],
  media = new RequestMedia([]),
  naming = new CallNaming(),
): ModelDialog {
  const system: string[] = [];
  const messages: ModelMessage[] = [];
  const toolNames = new Map<string, string>();
  // Endpoints take media in a user's turn only, and results of tools only right behind their calls: media stand behind both.
  let shown: UserPart[] = [];
  const showMedia = () => {
    if (shown.length > 0) messages.push({ role: 'user', content: shown });
    shown = [];
  };
  for (const message of given) {
    if (!isRecord(message)) continue;
    const { role, content } = message;
    if (role !== 'tool') showMedia();
    if (role === 'system') system.push(...[textOf(content)].filter(isNotBlank));
    else if (role === 'assistant') {
      messages.push({ role, content: assistantTurn(message, toolNames, naming) });
      shown.push(...mediaBehind('From your answer:', content, media));
    } else if (role === 'tool') {
      messages.push({ role, content: [toolResult(message, toolNames, naming)] });
      const id = naming.id(callIdOf(message));
      shown.push(...mediaBehind(`From the result of the tool call ${id}:`, content, media));
    } else messages.push({ role: 'user', content: userTurn(content, media) });
  }
  showMedia();
  // A request of nothing but instructions is one to follow them.
  if (messages.length === 0) messages.push({ role: 'user', content: system.pop() ?? BLANK_TURN });
  return { system: system.join('\n\n'), messages };
}

/** A call of a tool as a message holds it. */
interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function assistantTurn(
  message: Record<string, unknown>,
  toolNames: Map<string, string>,
  naming: CallNaming,
): AssistantContent {
  const text = wordsOf(message['content']);
  const given = message['toolCalls'] ?? message['tool_calls'];
  const calls = Array.isArray(given) ? given.filter(isRecord).map(readToolCall) : [];
  if (calls.length === 0) return orBlankTurn(text);
  for (const { id, name } of calls) toolNames.set(id, name);
  return [
    ...(isNotBlank(text) ? [{ type: 'text' as const, text }] : []),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: naming.id(id),
      toolName: naming.name(name),
      input,
    })),
  ];
}

/** OpenAI's form has the function in an object of its own, and its arguments as text. */
function readToolCall(call: Record<string, unknown>): ToolCall {
  const inner = isRecord(call['function']) ? call['function'] : call;
  const given = inner['arguments'];
  let input = given;
  try {
    if (typeof given === 'string') input = parseJson(given);
  } catch {
    // A model wrote it, or too much of it; it stays the text that it was.
  }
  return { id: String(call['id']), name: String(inner['name']), input: input ?? {} };
}

function toolResult(
  message: Record<string, unknown>,
  toolNames: Map<string, string>,
  naming: CallNaming,
): ToolContent[number] {
  const id = callIdOf(message);
  return {
    type: 'tool-result',
    toolCallId: naming.id(id),
    toolName: naming.name(stringOr(message['name'], toolNames.get(id) ?? 'tool')),
    output: { type: 'text', value: orBlankTurn(wordsOf(message['content'])) },
  };
}

const callIdOf = (message: Record<string, unknown>) =>
  String(message['toolCallId'] ?? message['tool_call_id']);

/** Content in words: media are named here, and shown in the user's turn behind it. */
function wordsOf(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return content
    .filter(isRecord)
    .map((block) => (isMedia(block) ? `[${mediaTypeOf(block)}: see the next message]` : blockText(block)))
    .join('\n');
}

/** The media of a content, and a word on where they are from; nothing where there are none. */
function mediaBehind(text: string, content: unknown, media: RequestMedia): UserPart[] {
  const blocks = Array.isArray(content) ? content.filter(isRecord).filter(isMedia) : [];
  if (blocks.length === 0) return [];
  return [{ type: 'text', text }, ...blocks.map((block) => userPart(block, media))];
}

/** Whether a block is bytes, which are nothing to read as text. */
function isMedia({ type, data, resource }: Record<string, unknown>): boolean {
  if (type === 'resource') return isRecord(resource) && typeof resource['blob'] === 'string';
  return type === 'image_url' || ((type === 'image' || type === 'audio') && typeof data === 'string');
}

function mediaTypeOf({ type, mimeType, resource }: Record<string, unknown>): string {
  const given = isRecord(resource) ? resource['mimeType'] : mimeType;
  return stringOr(given, type === 'image_url' ? 'image' : String(type));
}

function userTurn(content: unknown, media: RequestMedia): UserContent {
  if (!Array.isArray(content)) return orBlankTurn(textOf(content));
  const parts = content.filter(isRecord).map((block) => userPart(block, media));
  const said = parts.filter((part) => part.type !== 'text' || isNotBlank(part.text));
  return said.length === 0 ? BLANK_TURN : said;
}

type UserPart = Exclude<UserContent, string>[number];

function userPart(block: Record<string, unknown>, media: RequestMedia): UserPart {
  const { type, data, mimeType, image_url: imageUrl, resource } = block;
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return { type: 'file', data: requireBase64(data), mediaType: mediaTypeOrDefault(mimeType, `${type}/*`) };
  if (type === 'image_url') {
    const url = stringOr(isRecord(imageUrl) ? imageUrl['url'] : imageUrl, '');
    const [, mediaType, bytes] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    if (bytes !== undefined)
      return {
        type: 'file',
        data: requireBase64(bytes),
        mediaType: mediaTypeOrDefault(mediaType, 'image/*'),
      };
    return { type: 'image', image: media.allowedUrl(url) };
  }
  if (type === 'resource' && isRecord(resource) && typeof resource['blob'] === 'string')
    return {
      type: 'file',
      data: requireBase64(resource['blob']),
      mediaType: mediaTypeOrDefault(resource['mimeType'], 'application/octet-stream'),
    };
  return { type: 'text', text: blockText(block) };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.filter(isRecord).map(blockText).join('\n');
  return content === undefined || content === null ? '' : JSON.stringify(content);
}

function isNotBlank(text: string): boolean {
  return text.trim() !== '';
}

function orBlankTurn(text: string): string {
  return isNotBlank(text) ? text : BLANK_TURN;
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
