import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  answerAsMessage,
  extractObject,
  extractText,
  type AnswerSchema,
  hasNonTextContent,
} from './answer.ts';

function shaped<T>(schema: z.ZodType<T>): AnswerSchema<T> {
  return {
    hasField: (name) => schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name),
    takesText: !(schema instanceof z.ZodObject),
    check(value) {
      const { success, data, error } = schema.safeParse(value);
      return success
        ? { ok: true, value: data }
        : { ok: false, problem: error.issues[0]?.path.join('.') ?? '' };
    },
  };
}

const count = shaped(z.object({ n: z.number() }));
const either = shaped(z.looseObject({ n: z.number().optional() }));
const withObject = shaped(z.looseObject({ object: z.unknown() }));
const titled = shaped(z.looseObject({ text: z.string() }));
const only = shaped(z.strictObject({ n: z.number() }));
const drawn = shaped(z.strictObject({ content: z.array(z.number()) }));
const fits = (value: unknown) => ({ ok: true, value });

describe('structured data is read', () => {
  test.each<[string, AnswerSchema<unknown>, unknown, unknown]>([
    ['under object', count, { object: { n: 1 } }, { n: 1 }],
    ['under object, though the whole fits too', either, { object: { n: 1 } }, { n: 1 }],
    ['under object, never under text, when both fit', count, { object: { n: 1 }, text: '{"n":2}' }, { n: 1 }],
    [
      'in the words, though an open schema would take their envelope',
      either,
      { text: '{"n":1}', model: 'm' },
      { n: 1 },
    ],
    [
      'in blocks, though an open schema would take their envelope',
      either,
      { content: [{ type: 'text', text: '{"n":1}' }] },
      { n: 1 },
    ],
    [
      'as text under object, though an open schema would take its envelope',
      either,
      { object: '{"n":1}' },
      { n: 1 },
    ],
    ['as the whole, when the schema has a field text', titled, { text: 'a' }, { text: 'a' }],
    [
      'as the whole, when something else stands beside the words',
      either,
      { text: 'a', n: 1 },
      { text: 'a', n: 1 },
    ],
    ['as the whole, when content is no list of blocks', either, { content: 'a' }, { content: 'a' }],
    [
      'as the whole, when the schema has a field object and the whole fits',
      withObject,
      { object: { n: 1 } },
      { object: { n: 1 } },
    ],
    ['as the bare data', count, { n: 1 }, { n: 1 }],
    ['as the bare data, never as text, when both fit', count, { n: 1, text: '{"n":2}' }, { n: 1 }],
    ['as the bare data when object does not fit', either, { object: 5, n: 1 }, { object: 5, n: 1 }],
    ['as bare data that is no object', shaped(z.array(z.number())), [1, 2], [1, 2]],
    ['as text', count, { text: '{"n":1}' }, { n: 1 }],
    ['as text beside an object that does not fit', count, { object: null, text: '{"n":1}' }, { n: 1 }],
    ['as a bare string of text', count, ' {"n":1}\n', { n: 1 }],
    [
      "as the content of an assistant's message, whose fields are no data",
      either,
      { role: 'assistant', content: '{"n":1}', refusal: null },
      { n: 1 },
    ],
    ['as the text of a content block', count, { content: [{ type: 'text', text: '{"n":1}' }] }, { n: 1 }],
    [
      'as a block beside text that holds none',
      count,
      { text: 'See:', content: [{ type: 'text', text: '{"n":1}' }] },
      { n: 1 },
    ],
    [
      'as a block beside an empty text',
      count,
      { text: '', content: [{ type: 'text', text: '{"n":1}' }] },
      { n: 1 },
    ],
    ['as a number behind reasoning', shaped(z.number()), { text: '<think>8?</think>\n7\n' }, 7],
    [
      'as a word behind reasoning that nothing opened',
      shaped(z.boolean()),
      { object: 'hm</think>true' },
      true,
    ],
    [
      'as a number in a fence behind one in reasoning',
      shaped(z.number()),
      { text: '<think>```\n8\n```</think>It is:\n```\n7\n```' },
      7,
    ],
    ['beside content and tool calls', only, { n: 1, content: [], toolCalls: [], model: 'm' }, { n: 1 }],
    ['with content as its own field', drawn, { content: [1], model: 'm' }, { content: [1] }],
  ])('%s', (_claim, shape, data, value) => {
    expect(extractObject(data, shape)).toEqual(fits(value));
  });

  test('under object when the schema has such a field but the whole does not fit', () => {
    const strict = shaped(z.strictObject({ object: z.string() }));
    expect(extractObject({ object: { object: 'x' } }, strict)).toEqual(fits({ object: 'x' }));
  });

  test('never from what only a prototype holds', () => {
    const inherited = Object.create({ object: { n: 1 } }) as object;
    expect(extractObject(inherited, count).ok).toBe(false);
  });
});

describe('in text', () => {
  const code = '{"n": 1, "how": "```js\\nrun()\\n```"}';
  test.each<[string, string]>([
    ['a fence with a language', '```json\n{"n":1}\n```'],
    ['a fence without a language', '```\n{"n":1}\n```'],
    ['words around a fence', 'Here it is:\n\n```json\n{"n":1}\n```\nAnything else?'],
    ['a fence that ends in the last line', '```json\n{"n":1}```'],
    ['Windows line ends', '```json\r\n{"n":1}\r\n```\r\n'],
    ['an indented fence', '  ```json\n  {"n":1}\n  ```'],
    ['a second fence', '```json\n{"n":1}\n```\nThen run:\n```sh\nls\n```'],
    ['a fence inside a string', code],
    ['a fence inside a string inside a fence', `\`\`\`json\n${code}\n\`\`\``],
    ['the same, ending in the last line', `\`\`\`json\n${code}\`\`\``],
    ['fences inside strings of many lines', '{\n"n": 1,\n"a": "run ```npm test```",\n"b": "```"\n}'],
  ])('%s does not hide the data', (_claim, text) => {
    expect(extractObject({ text }, count)).toMatchObject({ ok: true, value: { n: 1 } });
  });

  test.each<[string, string]>([
    ['openings', 'x```a\n'],
    ['spaces', '\n       '],
    ['backticks', '`'],
    ['openings in one line', '```a'],
  ])('a megabyte of %s is never slow', (_claim, piece) => {
    const text = '```json\n' + piece.repeat(2 ** 20 / piece.length);
    // Where it is, it takes minutes, which the test has not.
    expect(extractObject({ text }, count).ok).toBe(false);
  });

  test('data deeper than JSON may come is refused, never parsed', () => {
    const nested = (depth: number) => `{"n":1,"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(extractObject({ text: nested(64) }, count).ok).toBe(true);
    for (const depth of [65, 100_000]) {
      expect(extractObject({ text: nested(depth) }, count)).toEqual({
        ok: false,
        problem: expect.stringContaining('deeper than 64'),
      });
    }
  });
});

describe('when nothing fits, the problem is', () => {
  test.each<[string, unknown, string]>([
    ['that of object', { object: { n: 'x' } }, 'n'],
    ['that of object, not that of text', { object: { n: 'x' }, text: 'words' }, 'n'],
    ['that of the text', { text: '{"n":"x"}' }, 'n'],
    ['that the text is not JSON', { text: 'words' }, 'the text is not JSON'],
    ['that a string is not JSON', 'words', 'the text is not JSON'],
    ['that of the bare data', { m: 1 }, 'n'],
  ])('%s', (_claim, data, problem) => {
    expect(extractObject(data, count)).toEqual({ ok: false, problem: expect.stringMatching(`^${problem}`) });
  });
});

describe('words', () => {
  const block = (text: unknown) => ({ type: 'text', text });
  test.each<[string, unknown, string]>([
    ['a string', 'words', 'words'],
    ['text', { text: 'words', content: [block('not these')] }, 'words'],
    ['empty text', { text: '' }, ''],
    [
      'text blocks, other blocks left out',
      { content: [block('one'), { type: 'image' }, block('two'), block(3)] },
      'one\ntwo',
    ],
    ["the content of an assistant's message", { role: 'assistant', content: 'words' }, 'words'],
    ['text blocks when text is none', { text: 5, content: [block('words')] }, 'words'],
  ])('are read from %s', (_claim, data, value) => {
    expect(extractText(data)).toEqual(fits(value));
  });

  test.each([{}, { object: {} }, { content: [] }, { content: 5 }, { content: [null, 'x'] }, [], 5, true])(
    'are never made up from %j',
    (data) => {
      expect(extractText(data)).toEqual({ ok: false, problem: expect.stringContaining('holds no text') });
    },
  );
});

test('only blocks that are no text are more than words', () => {
  expect(hasNonTextContent({ content: [{ type: 'text', text: 'x' }, { type: 'image' }] })).toBe(true);
  for (const data of [{ content: [{ type: 'text' }, {}, 7] }, { content: 'x' }, {}, 'x', null])
    expect(hasNonTextContent(data)).toBe(false);
});

test.each<[string, unknown, string]>([
  ['text as it is', { text: '{"n":' }, '{"n":'],
  ['an object as JSON', { object: { n: 1 }, model: 'm' }, '{"n":1}'],
  ['bare data as JSON', { n: 1 }, '{"n":1}'],
  ['a list as JSON', [1], '[1]'],
])('an answer stands in the dialog as %s', (_claim, data, expected) => {
  expect(answerAsMessage(data)).toBe(expected);
});
