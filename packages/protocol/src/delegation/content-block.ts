import { z } from 'zod';
import { isRecord } from '../json/json.ts';

/**
 * Blocks of content beside words (MCP 2025-11-25, server/tools, Tool Result): what an answer may bring to the result of an
 * operation, and what may be attached to a task of a project. Fields beside those of MCP are kept.
 */

/** Characters of a block's JSON. */
export const MAX_BLOCK_LENGTH = 524_288;
const MAX_URI_LENGTH = 4_096;
const MAX_TYPE_LENGTH = 200;

/** RFC 4648, section 4, with padding. Not a pattern alone: a block may have half a million characters. */
const base64 = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_BLOCK_LENGTH)
  .refine((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text), 'must be base64');
const uri = z.string().min(1).max(MAX_URI_LENGTH);
const mimeType = z
  .string()
  .max(MAX_TYPE_LENGTH)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/, 'must be a media type, such as image/png');
const annotations = z
  .looseObject({
    audience: z.array(z.enum(['user', 'assistant'])).exactOptional(),
    priority: z.number().min(0).max(1).exactOptional(),
    lastModified: z.string().max(100).exactOptional(),
  })
  .exactOptional();

const embedded = { uri, mimeType: mimeType.exactOptional(), annotations };
const resourceContents = z.union([
  z.looseObject({ ...embedded, text: z.string().max(MAX_BLOCK_LENGTH) }),
  z.looseObject({ ...embedded, blob: base64 }),
]);

export const attachableBlockSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('image'), data: base64, mimeType, annotations }),
  z.looseObject({ type: z.literal('audio'), data: base64, mimeType, annotations }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri,
    name: z.string().min(1).max(1_000),
    mimeType: mimeType.exactOptional(),
    annotations,
  }),
  z.looseObject({ type: z.literal('resource'), resource: resourceContents, annotations }),
]);
export type AttachableBlock = z.infer<typeof attachableBlockSchema>;

const TYPES: ReadonlySet<unknown> = new Set(['image', 'audio', 'resource_link', 'resource']);

/**
 * The blocks beside words that an answer brought, as they came. One of MCP's types that is not as MCP has it is left out, and
 * counted; blocks of other types, such as Anthropic's of calls, are none of these.
 */
export function readAttachableBlocks(data: unknown): { blocks: AttachableBlock[]; unread: number } {
  const content = isRecord(data) && Array.isArray(data['content']) ? data['content'] : [];
  const others = content.filter((block) => isRecord(block) && TYPES.has(block['type']));
  const blocks = others
    .slice(0, MAX_RESULT_BLOCKS)
    .filter((block): block is AttachableBlock => attachableBlockSchema.safeParse(block).success);
  return { blocks, unread: others.length - blocks.length };
}

/** A block in a few words, where it is not shown itself. */
export function describeBlock(block: AttachableBlock): string {
  switch (block.type) {
    case 'image':
    case 'audio':
      return `[${block.mimeType}]`;
    case 'resource_link':
      return `[${block.uri}]`;
    case 'resource':
      return `[${block.resource.uri}]`;
  }
}

/** What the result of an operation carries of the blocks of its answers. */
export const MAX_RESULT_BLOCKS = 100;
export const MAX_RESULT_CONTENT_LENGTH = 1_048_576;
