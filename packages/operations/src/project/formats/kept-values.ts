import { isRecord } from '@baton/protocol';
import { type FileRepair, shownValue } from './file-repair.ts';

/** The metadata of an item or tag, as an object of the caller's own; what is no object is kept as a field of it. */
export function metadataOf({ metadata }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (isRecord(metadata)) return { ...metadata };
  return metadata === undefined || metadata === null ? {} : { metadata };
}

/**
 * Keeps a value that has no place of its own under the first of the names `field`, `field-2`, `field-3`, ... that the
 * metadata does not have, and returns where: `metadata.field-2`. What the file has there itself is never replaced.
 */
export function keepValue(metadata: Record<string, unknown>, field: string, value: unknown): string {
  let name = field;
  for (let copy = 2; Object.hasOwn(metadata, name); copy++) name = `${field}-${copy}`;
  // An assignment to `__proto__` would be none.
  Object.defineProperty(metadata, name, { value, enumerable: true, writable: true, configurable: true });
  return `metadata.${name}`;
}

/** Says of metadata that is no object what became of it. */
export function noteMetadata(
  { metadata }: Readonly<Record<string, unknown>>,
  place: string,
  repairs: FileRepair[],
): void {
  if (metadata === undefined || isRecord(metadata)) return;
  const now = metadata === null ? 'it is left out' : 'it is under metadata.metadata';
  repairs.push({
    place: `${place}.metadata`,
    problem: `is ${shownValue(metadata)}, which is no object; ${now}`,
  });
}
