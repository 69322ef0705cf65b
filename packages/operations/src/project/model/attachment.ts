import { type AttachableBlock, isRecord } from '@baton/protocol';
import { z } from 'zod';

/**
 * What is attached to a task or a subtask, in its field `attachments`: blocks of content as MCP has them, each under a number
 * that its item gives once. They are part of the task, so they move, are copied, exported and deleted with it.
 */
export const ATTACHMENT_LIMITS = {
  perItem: 20,
  /** Characters of the JSON of all attachments of a task with those of its subtasks: every change of the task writes them anew. */
  lengthPerTask: 524_288,
} as const;

export interface Attachment {
  readonly n: number;
  /** ISO 8601. */
  readonly added: string;
  readonly block: AttachableBlock;
}

/** An attachment as results show it; its body is read as a resource. */
export const attachmentViewSchema = z.looseObject({
  n: z.int(),
  added: z.string(),
  type: z.string(),
  name: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional().describe('Of a link or an embedded resource: its own URI'),
  size: z.int().describe('Bytes of its body; 0 for a link'),
});

/** Its attachments. What came in with a file in a form of its own is none. */
export function attachmentsOf(item: { readonly [field: string]: unknown }): readonly Attachment[] {
  const { attachments } = item;
  return Array.isArray(attachments) ? attachments.filter(isAttachment) : [];
}

/** Whether a file brought the field in a form that is not Baton's: it is kept as it came, and nothing is attached beside it. */
export function hasForeignAttachments(item: { readonly [field: string]: unknown }): boolean {
  const { attachments } = item;
  if (attachments === undefined || attachments === null) return false;
  return !Array.isArray(attachments) || !attachments.every(isAttachment);
}

function isAttachment(value: unknown): value is Attachment {
  return (
    isRecord(value) && Number.isInteger(value['n']) && isRecord(value['block']) && hasBody(value['block'])
  );
}

/** Whether the block has what its type must have: a file that was imported may hold anything. */
function hasBody({ type, data, uri, resource }: Record<string, unknown>): boolean {
  switch (type) {
    case 'image':
    case 'audio':
      return typeof data === 'string';
    case 'resource_link':
      return typeof uri === 'string';
    case 'resource':
      return (
        isRecord(resource) && [resource['text'], resource['blob']].some((body) => typeof body === 'string')
      );
    default:
      return false;
  }
}

export function describeAttachment({ n, added, block }: Attachment): z.infer<typeof attachmentViewSchema> {
  const { mimeType, uri, name } = factsOf(block);
  return {
    n,
    added,
    type: block.type,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof mimeType === 'string' ? { mimeType } : {}),
    ...(typeof uri === 'string' ? { uri } : {}),
    size: sizeOf(block),
  };
}

function factsOf(block: AttachableBlock): { name?: unknown; mimeType?: unknown; uri?: unknown } {
  if (block.type !== 'resource') return { name: block['name'], mimeType: block.mimeType, uri: block['uri'] };
  const { resource } = block;
  return { name: resource['name'] ?? resource['title'], mimeType: resource.mimeType, uri: resource.uri };
}

function sizeOf(block: AttachableBlock): number {
  switch (block.type) {
    case 'image':
    case 'audio':
      return decodedLength(block.data);
    case 'resource_link':
      return 0;
    case 'resource': {
      const { text, blob } = block.resource;
      return typeof blob === 'string'
        ? decodedLength(blob)
        : utf8Length(typeof text === 'string' ? text : '');
    }
  }
}

function decodedLength(base64: string): number {
  return (base64.length / 4) * 3 - (/={0,2}$/.exec(base64)?.[0].length ?? 0);
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A value as results show it: each `attachments` in it, at any depth, as `describeAttachment` has it. */
export function withoutAttachmentBodies<T>(value: T): T {
  return shown(value) as T;
}

function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      const described = field === 'attachments' ? attachmentsOf(value).map(describeAttachment) : [];
      return [field, described.length > 0 ? described : shown(inner)];
    }),
  );
}
