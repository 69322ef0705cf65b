/** Objects with more fields than any record has: V8 keeps them, and their copies, as slow dictionaries. */
const WIDE_OBJECT_FIELDS = 200;

/** What a JSON text may hold: levels of nesting, fields of its wide objects taken together, and values. */
export interface JsonTextBounds {
  readonly depth: number;
  readonly fields: number;
  readonly values: number;
}

/**
 * Which bound a JSON text exceeds, or else how many values it holds, found without parsing it: the parser takes up to a
 * microsecond for each value, and more for each field of a wide object. Of broken text the result is arbitrary; the parser
 * refuses it afterwards.
 */
export function measureJsonText(most: JsonTextBounds, text: string): keyof JsonTextBounds | number {
  /** Of the objects and arrays that are open: the commas in them so far; -1 in arrays. */
  const commas = new Int32Array(most.depth + 1);
  let level = 0;
  let fields = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
    } else if (char === 0x7b || char === 0x5b) {
      level++;
      if (level > most.depth) return 'depth';
      values++;
      commas[level] = char === 0x7b ? 0 : -1;
    } else if (char === 0x7d || char === 0x5d) {
      level--;
    } else if (char === 0x2c) {
      values++;
      if (values > most.values) return 'values';
      const count = (commas[level] ?? -1) + 1;
      if (count === 0) continue;
      commas[level] = count;
      if (count >= WIDE_OBJECT_FIELDS) fields += count === WIDE_OBJECT_FIELDS ? WIDE_OBJECT_FIELDS : 1;
      if (fields > most.fields) return 'fields';
    }
  }
  return values;
}

/** Only such digits can be an integer above 2^53, or above what a double holds; most text has none, in its strings neither. */
const MAY_BE_INEXACT = /\d{16}|\d[eE]\+?\d{3}/;

/**
 * The first number of a JSON text that a parser would not keep: an integer that comes out as another one, or what is too
 * large for a number at all. A fraction is read as the number next to it, as everywhere. Of broken text it is some place.
 */
export function findInexactNumber(
  text: string,
): { readonly start: number; readonly end: number } | undefined {
  if (!MAY_BE_INEXACT.test(text)) return undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
    } else if (isDigit(char)) {
      const start = at;
      let isInteger = true;
      let hasExponent = false;
      for (at++; at < text.length; at++) {
        const next = text.charCodeAt(at);
        if (isDigit(next)) continue;
        if (next === 0x65 || next === 0x45) hasExponent = true;
        else if (next !== 0x2e && next !== 0x2b && next !== 0x2d) break;
        isInteger = false;
      }
      // Shorter ones without an exponent are below 2^53.
      if ((hasExponent || at - start >= 16) && !isExact(text.slice(start, at), isInteger))
        return { start: start > 0 && text.charCodeAt(start - 1) === 0x2d ? start - 1 : start, end: at };
      at--;
    }
  }
  return undefined;
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/** Digits that come out as they went in are kept too: so JavaScript writes integers above 2^53. */
function isExact(digits: string, isInteger: boolean): boolean {
  const value = Number(digits);
  if (!Number.isFinite(value)) return false;
  return (
    !isInteger || Number.isSafeInteger(value) || String(value) === digits || BigInt(value) === BigInt(digits)
  );
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
