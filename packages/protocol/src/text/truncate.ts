/** The beginning of a text, at most `length` UTF-16 units, never ending in half a surrogate pair: half of one is no UTF-8. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** The beginning of a text, at most `bytes` of UTF-8, cut between characters. */
export function truncateToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // No character takes less than a byte.
  const encoded = Buffer.from(truncate(text, bytes));
  let end = Math.min(bytes, encoded.length);
  while (((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
