/**
 * One line of what others wrote, without what a terminal would obey: control characters, CR and escape sequences among them, and the marks that
 * turn the direction of what follows.
 */
export function plainLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

/** The same for a text of several lines. */
export function plainText(text: string): string {
  return text.split(/\r?\n/).map(plainLine).join('\n');
}

/** A value as JSON for programs, in which nothing is left that a terminal would obey: JSON itself escapes only what is below U+0020. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
