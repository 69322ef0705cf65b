import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, isRecord } from './json.ts';
import { measureJsonText } from './json-text-scan.ts';
import { randomSeed } from '../testing/random-seed.ts';

describe('canonical JSON', () => {
  test.each<[string, string, string]>([
    ['the order of keys', '{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['the order of keys within', '{"x":[{"b":1,"a":{"d":1,"c":2}}]}', '{"x":[{"a":{"c":2,"d":1},"b":1}]}'],
    ['white space', ' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}'],
    ['the writing of numbers', '[1.0,1e2,-0,0.10]', '[1,100,0,0.1]'],
    ['the escaping of characters', '"\\u00e9\\u0041\\/"', '"éA/"'],
    ['repeated keys: the last counts', '{"a":1,"a":2}', '{"a":2}'],
  ])('does not depend on %s', (_claim, one, other) => {
    expect(canonicalJson(JSON.parse(one))).toBe(other);
    expect(canonicalJson(JSON.parse(other))).toBe(other);
  });

  test.each<[string, string, string]>([
    ['the order of a list', '[1,2]', '[2,1]'],
    ['a number and its text', '1', '"1"'],
    ['null and nothing', '{"a":null}', '{}'],
    ['an empty list and an empty object', '[]', '{}'],
    ['a list and an object with its places', '["x"]', '{"0":"x"}'],
    ['composed and decomposed letters', '"\\u00e9"', '"e\\u0301"'],
    ['a field named __proto__ and none', '{"__proto__":{"a":1}}', '{}'],
    ['a field named toJSON and none', '{"toJSON":1}', '{}'],
  ])('never takes %s for the same', (_claim, one, other) => {
    expect(canonicalJson(JSON.parse(one))).not.toBe(canonicalJson(JSON.parse(other)));
  });

  test('sorts keys by their UTF-16 units, never by a language', () => {
    const keys = ['é', 'z', 'Z', '\u{1f600}', '\ufb33', 'a', ''];
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['', 'Z', 'a', 'z', 'é', '\u{1f600}', '\ufb33']);
  });

  test('is the same for the same value in any order of keys, and still is that value', () => {
    fc.assert(
      fc.property(fc.json(), fc.infiniteStream(fc.nat()), (text, choices) => {
        const value: unknown = JSON.parse(text);
        const canonical = canonicalJson(value);
        expect(canonicalJson(reordered(value, choices))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: randomSeed, numRuns: 500 },
    );
  });
});

function reordered(value: unknown, choices: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((inner) => reordered(inner, choices));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => ({
    at: choices.next().value as number,
    key,
    inner,
  }));
  entries.sort((a, b) => a.at - b.at);
  return Object.fromEntries(entries.map(({ key, inner }) => [key, reordered(inner, choices)]));
}

/** The least bound on depth that the text keeps; one more than the limit when that is exceeded. */
function jsonTextDepth(text: string, limit: number): number {
  for (let depth = 0; depth <= limit; depth++) {
    const most = { depth, fields: Infinity, values: Infinity };
    if (measureJsonText(most, text) !== 'depth') return depth;
  }
  return limit + 1;
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0);
}

describe('the depth of a text', () => {
  test.each<[string, number]>([
    ['1', 0],
    ['[]', 1],
    ['[[],{}]', 2],
    ['{"a":{"b":[1]}}', 3],
    ['"[[[["', 0],
    ['["[\\"["]', 1],
    ['["\\\\",[1]]', 2],
    ['["\\\\\\"[["]', 1],
    ['{"[{":[]}', 2],
    ['', 0],
  ])('%s is %i deep', (text, depth) => {
    expect(jsonTextDepth(text, 64)).toBe(depth);
  });

  test('never counts past one more than the limit', () => {
    expect(jsonTextDepth('['.repeat(64), 64)).toBe(64);
    expect(jsonTextDepth('['.repeat(65), 64)).toBe(65);
    expect(jsonTextDepth('['.repeat(100_000), 64)).toBe(65);
  });

  test('is that of the parsed value, however it is written', () => {
    const text = fc.tuple(fc.json({ maxDepth: 6 }), fc.nat(3)).map(([json, indent]) => {
      return JSON.stringify(JSON.parse(json), null, indent);
    });
    fc.assert(
      fc.property(fc.oneof(text, fc.json()), (text) => {
        expect(jsonTextDepth(text, 64)).toBe(depthOf(JSON.parse(text)));
      }),
      { seed: randomSeed, numRuns: 1_000 },
    );
  });

  test('of broken text is some number up to the limit; what still parses is never counted wrong', () => {
    const noise = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'a', '1') });
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), noise)
      .map(
        ([json, at, gone, put]) =>
          json.slice(0, at % json.length) + put + json.slice((at % json.length) + gone),
      );
    fc.assert(
      fc.property(fc.oneof(noise, broken), (text) => {
        const depth = jsonTextDepth(text, 8);
        expect(depth).toBeGreaterThanOrEqual(0);
        expect(depth).toBeLessThanOrEqual(9);
        const parsed = tryToParse(text);
        if (parsed !== undefined) expect(depth).toBe(Math.min(9, depthOf(parsed.value)));
      }),
      { seed: randomSeed, numRuns: 2_000 },
    );
  });

  const MIB = 2 ** 20;
  test.each<[string, string]>([
    ['backslashes', '\\'.repeat(MIB)],
    ['backslashes in an open string', `"${'\\'.repeat(MIB)}`],
    ['backslashes in a string', `"${'\\'.repeat(MIB)}"`],
    ['quotes', '"'.repeat(MIB)],
    ['escaped quotes in a string', `"${'\\"'.repeat(MIB / 2)}"`],
    ['escaped quotes in an open string', `"${'\\"'.repeat(MIB / 2)}`],
    ['long runs of backslashes', `"${`${'\\'.repeat(1023)}"`.repeat(MIB / 1024)}`],
    ['empty strings', `[${'"",'.repeat(MIB / 3)}`],
    ['closing brackets', ']'.repeat(MIB)],
  ])('takes a mebibyte of %s in linear time', (_claim, text) => {
    // Time that grows with the square would be more than the test has.
    expect(jsonTextDepth(text, 64)).toBeLessThanOrEqual(65);
  });
});

function tryToParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
