/** The beginning of a text, at most `length` UTF-16 units, never ending in half a surrogate pair: half of one is no UTF-8. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
