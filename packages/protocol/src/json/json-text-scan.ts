/** Objects with more fields than any record has: V8 keeps them, and their copies, as slow dictionaries. */
const WIDE_OBJECT_FIELDS = 200;

/**
 * Whether the wide objects of a JSON text have more fields in all than `most`, without parsing it: already the parser
 * takes microseconds for each. The text nests no deeper than `depth`; of broken text the result is arbitrary.
 */
export function textExceedsWideObjectFields(most: number, text: string, depth: number): boolean {
  /** Of the objects and arrays that are open: the commas in them so far; -1 in arrays. */
  const commas = new Int32Array(depth + 1);
  let level = 0;
  let fields = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
    } else if (char === 0x7b || char === 0x5b) {
      level++;
      commas[level] = char === 0x7b ? 0 : -1;
    } else if (char === 0x7d || char === 0x5d) {
      level--;
    } else if (char === 0x2c && (commas[level] ?? -1) >= 0) {
      const count = (commas[level] ?? 0) + 1;
      commas[level] = count;
      if (count >= WIDE_OBJECT_FIELDS) fields += count === WIDE_OBJECT_FIELDS ? WIDE_OBJECT_FIELDS : 1;
      if (fields > most) return true;
    }
  }
  return false;
}

/**
 * How deep a JSON text nests, without parsing it: the parser and everything after it may recurse, so depth is
 * bounded before. Stops counting at `limit + 1`. Broken text gives some number; the parser refuses it afterwards.
 */
export function jsonTextDepth(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
    } else if (char === 0x7b || char === 0x5b) {
      depth++;
      if (depth > deepest) deepest = depth;
      if (deepest > limit) return deepest;
    } else if (char === 0x7d || char === 0x5d) {
      depth--;
    }
  }
  return deepest;
}

/** The index of the quote that closes the string opened at `at`; found by leaps, since most JSON is strings. */
function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}
