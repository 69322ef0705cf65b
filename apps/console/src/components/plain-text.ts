/**
 * A text of others for the page, in which each control character, and each mark that turns the direction of what follows, is shown as its code. HTML in it
 * is text: Preact escapes.
 */
export function plainText(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what it is about
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value as it is read best: a text as it is, all else as JSON. */
export function readableText(value: unknown): string {
  return plainText(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
}
