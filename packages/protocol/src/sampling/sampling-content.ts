import { blockText } from '../delegation/block-text.ts';
import type { Message } from '../delegation/message.ts';
import { isRecord } from '../json/json.ts';

/** A block of a message of `sampling/createMessage` (MCP 2025-11-25, client/sampling, Data Types); a result of a tool holds blocks itself. */
export type SamplingBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Record<string, unknown>;
    }
  | { readonly type: 'tool_result'; readonly toolUseId: string; readonly content: readonly SamplingBlock[] };

/** A message's content as blocks: pictures and sounds whose bytes stand in it, and what is left in words. */
export function samplingBlocks(content: Message['content']): SamplingBlock[] {
  if (content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(samplingBlock);
}

function samplingBlock(block: Record<string, unknown>): SamplingBlock {
  const { type, data, mimeType, image_url: imageUrl, resource } = block;
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return { type, data, mimeType };
  if (type === 'image_url') {
    const url = isRecord(imageUrl) ? imageUrl['url'] : imageUrl;
    const [, mediaType, bytes] = (typeof url === 'string' && /^data:([^;,]+);base64,(.*)$/s.exec(url)) || [];
    if (mediaType !== undefined && bytes !== undefined)
      return { type: 'image', data: bytes, mimeType: mediaType };
  }
  if (type === 'resource' && isRecord(resource)) {
    const { blob, mimeType: given } = resource;
    const [kind] = typeof given === 'string' ? given.split('/') : [];
    if ((kind === 'image' || kind === 'audio') && typeof given === 'string' && typeof blob === 'string')
      return { type: kind, data: blob, mimeType: given };
  }
  return { type: 'text', text: blockText(block) };
}
