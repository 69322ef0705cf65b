import { truncate } from '@baton/protocol';

/** The beginning of a text with an ellipsis when it is cut; undefined for an empty text. */
export function excerpt(text: string | undefined, length: number): string | undefined {
  if (text === undefined || text === '') return undefined;
  return text.length <= length ? text : `${truncate(text, length)}…`;
}
