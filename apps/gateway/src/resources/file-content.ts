import type { Attachment, ConnectedFile } from '@baton/operations';
import type { Content } from './resource-kind.ts';

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  html: 'text/html',
  csv: 'text/csv',
};

/** A file that is no text was connected as a `data:` URL in base64 (RFC 2397); it is shown as what it is. */
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,([\w+/]+={0,2})$/;

/** A connected file: its text with the type that its name says, or its bytes. */
export function fileContent(name: string, { text, updated }: ConnectedFile): Content {
  const [, type, encoded] = text.startsWith('data:') ? (DATA_URL.exec(text) ?? []) : [];
  const blob = encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
  if (type !== undefined && blob?.toString('base64') === encoded && blob !== undefined)
    return { body: { blob }, mimeType: type.toLowerCase(), title: name, lastModified: updated };
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const mimeType = (Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined) ?? 'text/plain';
  return { body: { text }, mimeType, title: name, lastModified: updated };
}

/** An attachment as a resource: what its block carries. A link is a list of one URI (RFC 2483). */
export function attachmentContent({ block, added }: Attachment): Content {
  const { body, mimeType, title } = contentOf(block);
  return {
    body,
    lastModified: added,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(typeof title === 'string' ? { title } : {}),
  };
}

function contentOf(
  block: Attachment['block'],
): Pick<Content, 'body'> & { mimeType: string | undefined; title: unknown } {
  switch (block.type) {
    case 'image':
    case 'audio':
      return { body: decoded(block.data), mimeType: block.mimeType, title: block['title'] };
    case 'resource_link':
      return {
        body: { text: `${block.uri}\r\n` },
        mimeType: 'text/uri-list',
        title: block['title'] ?? block.name,
      };
    case 'resource': {
      const { mimeType, text, blob, title, name } = block.resource;
      return {
        body: typeof blob === 'string' ? decoded(blob) : { text: String(text) },
        mimeType: mimeType ?? (typeof blob === 'string' ? 'application/octet-stream' : 'text/plain'),
        title: title ?? name,
      };
    }
  }
}

function decoded(base64: string): Content['body'] {
  return { blob: Buffer.from(base64, 'base64') };
}
