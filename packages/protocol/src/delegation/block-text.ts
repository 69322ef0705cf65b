import { isRecord } from '../json/json.ts';

/** A block of content in words; one that has none is shown as it is. */
export function blockText(block: Record<string, unknown>): string {
  const { type, text, resource, uri, name } = block;
  if (typeof text === 'string') return text;
  if (type === 'resource' && isRecord(resource) && typeof resource['text'] === 'string')
    return resource['text'];
  if (type === 'resource_link')
    return `${typeof name === 'string' ? name : 'resource'}: ${typeof uri === 'string' ? uri : ''}`;
  return JSON.stringify(block);
}
