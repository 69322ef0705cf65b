/** JSON as values: what may stand in an answer, an input or a journal. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * The same text for the same value, whatever the order of its keys (RFC 8785). The value is JSON's; fields that are
 * undefined are left out. Two answers are the same when their canonical texts are.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const fields: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(inner)}`);
  }
  return `{${fields.join()}}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Whether a JSON value has more fields and elements in it than `most`, at any depth. Stops counting there. */
export function exceedsValueCount(most: number, value: unknown): boolean {
  let found = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    found += inner.length;
    if (found > most) return true;
    for (const one of inner) if (typeof one === 'object' && one !== null) open.push(one);
  }
  return false;
}

/** Objects with more fields than any record has: V8 keeps them, and their copies, as slow dictionaries. */
const WIDE_OBJECT_FIELDS = 200;

/**
 * Whether the wide objects of a JSON text have more fields in all than `most`, without parsing it: already the parser
 * takes microseconds for each. The text nests no deeper than `depth`; of broken text the result is arbitrary.
 */
export function exceedsWideObjectFields(most: number, text: string, depth: number): boolean {
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
export function jsonDepth(text: string, limit: number): number {
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
