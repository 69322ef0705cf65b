/** One line of what others wrote, without what a terminal would obey. */
export function plainLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** The same for a text of several lines. */
export function plainText(text: string): string {
  return text.split(/\r?\n/).map(plainLine).join('\n');
}
