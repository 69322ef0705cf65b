import { PNG } from '@baton/operations';
import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';

type Contents = ReadResourceResult['contents'][number];

const FIXED: Readonly<Record<string, { mimeType: string } & ({ text: string } | { blob: string })>> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'This resource is watched.' },
  'test://example-resource': { mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
};

/** A resource that the official conformance suite reads; undefined for any other. */
export function findFixtureResource(uri: string): Contents | undefined {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  const found =
    id === undefined
      ? FIXED[uri]
      : {
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        };
  return found && { uri, ...found };
}
