import { MAX_JSON_DEPTH } from '../json/json.ts';
import { JsonTextError, parseJson } from '../json/json-text.ts';
import { endOfReasoning, REASONING_TAG, withoutReasoning } from './reasoning.ts';

/** One reading of a text as JSON: a value, or why what stands there is none that is taken. */
export type JsonReading = { readonly value: unknown } | { readonly problem: string };

/** An answer's last values count: so many are looked at. */
const MAX_READINGS = 32;

/** Where something begins that is no prose: a tag of reasoning, or what may be a value of JSON. */
const BEGINNING = new RegExp(`[{[]|[}\\]]|${REASONING_TAG.source}`, 'gi');

/**
 * The JSON that a model's words hold, the last value first: the whole text if it is JSON, else each complete object or
 * array in it, in a code fence or not, with prose around. What stands in reasoning is none of them, and neither is a
 * part of a value that is broken or cut off. Without one, what stands behind the reasoning or in a code fence there, which may be a bare
 * number or word of JSON, or why it is none.
 * Takes time linear in the length of the text.
 */
export function jsonReadings(text: string): readonly [JsonReading, ...JsonReading[]] {
  const whole = readJson(text);
  if ('value' in whole) return [whole];
  const found = valuesWithin(text);
  const [last, ...earlier] = found.toReversed().map(readJson);
  if (last !== undefined) return [last, ...earlier];
  const words = withoutReasoning(text);
  if (words === '' && text !== '')
    return [{ problem: 'the text is nothing but reasoning, without the JSON behind it' }];
  const bare = words === text ? whole : readJson(words);
  if ('value' in bare) return [bare];
  const fenced = readJson(stripCodeFence(words));
  return ['value' in fenced ? fenced : bare];
}

function readJson(text: string): JsonReading {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    const isOverBound = error instanceof JsonTextError && error.fault !== 'malformed';
    const reason = error instanceof Error ? error.message : 'unreadable';
    return { problem: isOverBound ? `the text ${reason}` : `the text is not JSON (${reason})` };
  }
}

/** The complete objects and arrays of a text that stand in nothing else, as text. */
function valuesWithin(text: string): string[] {
  let found: string[] = [];
  /** Brackets of broken values that are still open: what comes before they close are parts of these. */
  let open = 0;
  BEGINNING.lastIndex = 0;
  for (let met = BEGINNING.exec(text); met !== null; met = BEGINNING.exec(text)) {
    const [mark, closes, tag] = met;
    if (tag !== undefined) {
      // A closing tag without an opening one: all before it was reasoning.
      if (closes !== '') [found, open] = [[], 0];
      else BEGINNING.lastIndex = endOfReasoning(text, BEGINNING.lastIndex, tag);
    } else if (mark === '}' || mark === ']') {
      open = Math.max(0, open - 1);
    } else {
      const value = scanValue(text, met.index);
      if (value.kind === 'cut') break;
      if (value.kind === 'broken') open += value.open;
      else if (open === 0) found = [...found.slice(1 - MAX_READINGS), text.slice(met.index, value.end)];
      BEGINNING.lastIndex = Math.max(value.end, met.index + 1);
    }
  }
  return found;
}

/** `broken`: no JSON from `end` on, with so many brackets open, none where it was prose. `cut`: the text ends within it. */
type Scanned =
  | { readonly kind: 'complete'; readonly end: number }
  | { readonly kind: 'broken'; readonly end: number; readonly open: number }
  | { readonly kind: 'cut'; readonly end: number };

/** A token of JSON behind white space: punctuation, a string, or another scalar, whose form the parser sees to. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*")|(-?\d[\d.eE+-]*|true|false|null))/y;

const END = /[ \t\r\n]*$/y;

/** What may come next in a value: a value, or the end of its array; a key, or the end of its object; and so on. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';
const OPENS: Readonly<Record<string, Expected>> = { '{': 'key or end', '[': 'value or end' };
const OPENED_BY: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

/** Reads one object or array from `start` on, without making its value. */
function scanValue(text: string, start: number): Scanned {
  /** The brackets that are open. */
  const levels: string[] = [];
  let expected: Expected = 'value';
  let at = start;
  for (let tokens = 0; ; tokens++) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null && isEnd(text, at)) return { kind: 'cut', end: text.length };
    const next: Expected | 'end' | undefined =
      token === null ? undefined : expectedAfter(token, expected, levels);
    if (next === undefined || levels.length > MAX_JSON_DEPTH)
      return { kind: 'broken', end: at, open: tokens > 1 ? levels.length : 0 };
    at = TOKEN.lastIndex;
    if (next === 'end') return { kind: 'complete', end: at };
    expected = next;
  }
}

function isEnd(text: string, at: number): boolean {
  END.lastIndex = at;
  return END.test(text);
}

/** What is expected after a token; undefined where the token was not. Opens and closes levels. */
function expectedAfter(
  [, mark, text]: RegExpExecArray,
  expected: Expected,
  levels: string[],
): Expected | 'end' | undefined {
  const isValue = expected === 'value' || expected === 'value or end';
  const isKey = expected === 'key' || expected === 'key or end';
  if (mark === undefined) {
    if (isKey && text !== undefined) return 'colon';
    return isValue ? 'comma or end' : undefined;
  }
  const inside = OPENS[mark];
  if (inside !== undefined) {
    levels.push(mark);
    return isValue ? inside : undefined;
  }
  if (mark === ':') return expected === 'colon' ? 'value' : undefined;
  if (mark === ',') {
    if (expected !== 'comma or end') return undefined;
    return levels.at(-1) === '{' ? 'key' : 'value';
  }
  if (!expected.endsWith('end') || levels.at(-1) !== OPENED_BY[mark]) return undefined;
  levels.pop();
  return levels.length === 0 ? 'end' : 'comma or end';
}

/** The inside of a Markdown code fence, if the text holds one; otherwise the text. */
function stripCodeFence(text: string): string {
  const opening = /```[^\n`]*\n/.exec(text);
  if (opening === null) return text.trim();
  const inside = text.slice(opening.index + opening[0].length);
  // JSON's strings hold no line break, so a fence that begins a line is never inside one.
  const closing = inside.search(/(?:^|\n)[ \t]*```/);
  const end = closing === -1 ? inside.lastIndexOf('```') : closing;
  return (end === -1 ? text : inside.slice(0, end)).trim();
}
