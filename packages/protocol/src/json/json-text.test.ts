import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { delegatedCallDetailsSchema } from '../delegation/delegation.ts';
import { exceedsDepth } from './json.ts';
import { randomSeed } from '../testing/random-seed.ts';
import { JsonTextError, orJsonText, parseJson } from './json-text.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const wide = (fields: number) =>
  `{${Array.from({ length: fields }, (_, n) => `"${n.toString(36)}":1`).join(',')}}`;
const faultOf = (text: string) => {
  try {
    return parseJson(text);
  } catch (error) {
    return error instanceof JsonTextError ? error.fault : error;
  }
};

const errorOf = (text: string) => {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error as JsonTextError;
  }
};

describe('a text that arrives', () => {
  test('is parsed up to a depth of 64 and never beyond', () => {
    expect(faultOf(nested(64))).toEqual(JSON.parse(nested(64)));
    for (const depth of [65, 3_000, 200_000]) expect(faultOf(nested(depth))).toBe('depth');
  });

  test('may hold 20,000 fields in its large objects and never more', () => {
    expect(faultOf(wide(19_900))).toEqual(JSON.parse(wide(19_900)));
    expect(faultOf(wide(20_100))).toBe('fields');
    expect(faultOf(`[${Array.from({ length: 80 }, () => wide(300)).join()}]`)).toBe('fields');
  });

  test('may hold 25,000 values and never more, of whatever kind', () => {
    for (const value of ['1', '""', '[]', '{}', '{"a":1}', 'null']) {
      const list = (values: number) => `[${Array.from({ length: values }, () => value).join()}]`;
      const values = value.length > 2 && value !== 'null' ? 2 : 1;
      expect(faultOf(list(12_000 / values))).toHaveLength(12_000 / values);
      expect(faultOf(list(25_001))).toBe('values');
    }
  });

  test.each(['{"a":', '', 'words', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'])(
    'is never taken when it is malformed or sets a prototype: %s',
    (text) => {
      expect(faultOf(text)).toBe('malformed');
    },
  );

  test('that has a key twice is one value, so that it is stored with the key once', () => {
    expect(JSON.stringify(parseJson('{"a":1,"a":2}'))).toBe('{"a":2}');
  });
});

describe('a number that arrives', () => {
  test.each([
    ['12345678901234567890', '', '12345678901234567890 which would be read as 12345678901234567000'],
    ['{"a":[0,{"b":-9007199254740993}]}', 'a.1.b', "-9007199254740993 at 'a.1.b', which"],
    ['[1e999]', '0', "1e999 at '0', which would be read as Infinity"],
    ['{"a":-1E400}', 'a', 'would be read as -Infinity'],
    [`[${'9'.repeat(400)}]`, '0', `${'9'.repeat(40)} at '0'`],
  ])('is never rounded in silence: %s', (text, path, message) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ fault: 'number', path });
    expect(error?.message).toContain(message.replace(' which', path === '' ? ', which' : ' which'));
    expect(error?.message).toContain('send it as a string');
  });

  test.each([
    '[0,-0,1.0,0.1,1e3,1E-400,12345678.12345678901234567890,1e22]',
    '[9007199254740991,-9007199254740992,1152921504606847000,10000000000000000000000]',
    '{"12345678901234567890":"12345678901234567890 1e999","id":"\\\\"}',
    '"12345678901234567890"',
  ])('is taken where nothing of it is lost: %s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test('comes out with the digits with which it came in, if it is an integer that is taken', () => {
    const digits = fc.oneof(
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(Math.trunc(value))),
    );
    let refused = 0;
    fc.assert(
      fc.property(digits, (text) => {
        const error = errorOf(`{"a":${text}}`);
        if (error !== undefined) refused++;
        const isKept =
          /e/.test(text) || String(Number(text)) === text || BigInt(Number(text)) === BigInt(text);
        expect(error === undefined).toBe(isKept);
      }),
      { seed: randomSeed, numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

describe('a field that takes JSON text', () => {
  const field = orJsonText(z.object({ a: z.unknown() }));

  test('reads a value and the text of it alike', () => {
    expect(field.parse({ a: [1] })).toEqual(field.parse('{"a":[1]}'));
  });

  test.each([
    [`{"a":${nested(64)}}`, 'is a JSON text that nests deeper than 64 levels'],
    [`{"a":${wide(20_100)}}`, 'is a JSON text that holds more than 20000 fields in its large objects'],
    ['{"a":1e999}', expect.stringContaining("is a JSON text that holds the number 1e999 at 'a'")],
    ['words', expect.stringContaining('expected object')],
  ])('says what is wrong with text that it never takes', (text, message) => {
    expect(field.safeParse(text).error?.issues).toEqual([expect.objectContaining({ message })]);
  });
});

test("a caller's request never nests deeper than replies can show it", () => {
  const details = (depth: number) => ({
    originalCommand: 'x',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content: 'x' }], tools: JSON.parse(nested(depth)) },
  });
  expect(delegatedCallDetailsSchema.safeParse(details(54)).success).toBe(true);
  expect(delegatedCallDetailsSchema.safeParse(details(55)).error?.issues).toEqual([
    expect.objectContaining({ message: 'must nest at most 56 levels' }),
  ]);
});

test.each([
  [0, 'x', false],
  [0, [], true],
  [2, { a: [1] }, false],
  [1, { a: [1] }, true],
])('a depth of more than %i of %j: %s', (most, value, exceeded) => {
  expect(exceedsDepth(most, value)).toBe(exceeded);
});
