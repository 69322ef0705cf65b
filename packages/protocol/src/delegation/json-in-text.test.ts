import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomSeed } from '../testing/random-seed.ts';
import { extractObject, extractText, type AnswerSchema } from './answer.ts';
import { jsonReadings } from './json-in-text.ts';

/** `{"tasks": [...]}` with one task at least. */
const tasks: AnswerSchema<unknown> = {
  hasField: () => false,
  takesText: false,
  check(value) {
    const { tasks: found } = (value ?? {}) as { tasks?: unknown };
    return Array.isArray(found) && found.length > 0
      ? { ok: true, value }
      : { ok: false, problem: `no tasks in ${JSON.stringify(value)}` };
  },
};
const one = '{"tasks":[{"id":1}]}';
const two = '{"tasks":[{"id":1},{"id":2}]}';
const read = (text: string) => extractObject({ text }, tasks);

describe('the answer among what a model writes is the last value that fits', () => {
  test.each<[string, string]>([
    [
      'a fenced draft in reasoning',
      `<think>\n\`\`\`json\n${one}\n\`\`\`\n</think>\n\`\`\`json\n${two}\n\`\`\``,
    ],
    ['two fences with words between', `\`\`\`json\n${one}\n\`\`\`\nBetter:\n\`\`\`json\n${two}\n\`\`\``],
    ['reasoning that nothing opened', `Perhaps ${one}?\n</think>\n${two}`],
    ['reasoning in capitals, with an attribute', `<Thinking depth="2">${one}</Thinking >${two}`],
    ['reasoning after the answer', `${two}\n<reasoning>or ${one}?</reasoning>`],
    ['reasoning within reasoning', `<think>a <think> b ${one}</think> c ${one}</think>${two}`],
    ['fences of tildes', `~~~\n${one}\n~~~\n~~~json5\n${two}\n~~~`],
    ['a fence on one line', `Here: \`\`\`json ${two}\`\`\` Done.`],
    ['prose around', `Draft: ${one}. Final: ${two} - that is all.`],
    ['what does not fit behind it', `${two}\nAs in [1], with {"tasks": []}.`],
    ['placeholders and lists to tick', `For {name} [ ] and [x]:\n${two}\n- [ ] check`],
    ['a broken draft', `{"tasks":[{"id":1, "title": "say "hi""}]} no: ${two}`],
    ['reasoning as a string of the answer', `Final: {"tasks":[{"id":1},{"id":2}],"note":"<think>"}`],
    ['a line break in a draft string', `{"tasks":[{"title":"a\nb"}]}\n${two}`],
  ])('%s', (_claim, text) => {
    expect(read(text)).toMatchObject({ ok: true, value: { tasks: [{ id: 1 }, { id: 2 }] } });
  });

  test('over several blocks of text', () => {
    const block = (text: string) => ({ type: 'text', text });
    const content = [block(`<think>${one}`), block('</think>'), block(`\`\`\`\n${two}`), block('```')];
    expect(extractObject({ content }, tasks)).toMatchObject({ ok: true, value: JSON.parse(two) });
  });

  test('in an object that is given as text', () => {
    expect(extractObject({ object: two }, tasks)).toMatchObject({ ok: true, value: JSON.parse(two) });
    expect(extractObject({ object: `Here: ${two}` }, tasks)).toMatchObject({ ok: true });
  });
});

describe('never an answer', () => {
  test.each<[string, string, RegExp]>([
    ['reasoning alone', `<think>${one}</think>`, /nothing but reasoning/],
    ['reasoning without an end', `<think>${one}`, /nothing but reasoning/],
    ['a part of a value that is cut off', `{"all":[${one},`, /not JSON/],
    ['a part of a value that is cut off in a string', `{"all":[${one}],"more":"${'x'.repeat(9)}`, /not JSON/],
    ['a part of a value that is broken', `{"all": [${one}, oops], "more": ${one}}`, /not JSON/],
    ['what does not fit, and its problem is told', `{"n":1}\n{"n":2}`, /no tasks in \{"n":2\}/],
    ['a number that would be rounded', `{"tasks":[12345678901234567890]} `, /12345678901234567890/],
  ])('%s', (_claim, text, problem) => {
    expect(read(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
  });
});

/** What an answer may hold in its strings. */
const title = fc.oneof(fc.string(), fc.constantFrom('</think>', '<think>', '```', '}]', one));

/** What may stand around an answer without being one. */
const draft = fc
  .record({ tasks: fc.array(fc.record({ id: fc.integer({ min: 100, max: 999 }) }), { minLength: 1 }) })
  .map((value) => JSON.stringify(value, null, 2));
const prose = fc.constantFrom(
  '',
  'Here is the list.',
  'See {name}, [x] and "quotes".',
  "It's 5 o'clock: 3 < 4.",
  'A list: [1, two]',
);
const fenced = (text: string) =>
  fc
    .record({
      mark: fc.constantFrom('```', '~~~', '````'),
      label: fc.constantFrom('', 'json', 'JSON5', 'js'),
    })
    .map(({ mark, label }) => `${mark}${label}\n${text}\n${mark}`);
const wrapped = (text: string) => fc.oneof(fc.constant(text), fenced(text));
const reasoning = fc
  .record({ tag: fc.constantFrom('think', 'thinking', 'reasoning', 'THINK'), draft, before: prose })
  .chain(({ tag, draft: drafted, before }) =>
    wrapped(drafted).map((text) => `<${tag}>${before}\n${text}\n</${tag}>`),
  );
const before = fc
  .array(fc.oneof(prose, reasoning, draft.chain(wrapped)), { maxLength: 5 })
  .map((parts) => parts.join('\n'));
const after = fc
  .array(fc.oneof(prose, reasoning, fc.constant('{"note":"no tasks here"}')), { maxLength: 3 })
  .map((parts) => parts.join('\n'));

test(`in any wrapping the right answer is read, and no draft, FC_SEED=${randomSeed}`, () => {
  const answer = fc.record({
    tasks: fc.array(fc.record({ id: fc.integer({ min: 1, max: 99 }), title }), { minLength: 1 }),
  });
  const written = answer.chain((value) =>
    fc
      .tuple(before, fc.oneof(wrapped(JSON.stringify(value)), wrapped(JSON.stringify(value, null, 2))), after)
      .map((parts) => ({ value, text: parts.join('\n') })),
  );
  fc.assert(
    fc.property(written, ({ value, text }) => {
      expect(read(text)).toEqual({ ok: true, value });
    }),
    { seed: randomSeed, numRuns: 500 },
  );
});

test.each(['[', '{', '[1,', '{"a":', '{"a":[', '<think>', '</think>', '```', '{"', '[x [1, ', '"', ' '])(
  'a megabyte of %j is read in a time that grows with its length alone',
  (piece) => {
    // Quadratic time would be hours.
    expect(jsonReadings(piece.repeat(2 ** 20 / piece.length))).toHaveLength(1);
    expect(extractText({ text: piece.repeat(2 ** 20 / piece.length) }).ok).toBe(true);
  },
);

describe('words', () => {
  test.each<[string, string, string]>([
    ['behind reasoning', '<think>Hm.</think>\n\nYes.', 'Yes.'],
    ['behind reasoning that nothing opened', 'Hm.\n</think>\nYes.', 'Yes.'],
    ['that speak of a tag', 'Put it into <think> and </think>.', 'Put it into <think> and </think>.'],
    ['without reasoning, as they are', ' Yes. ', ' Yes. '],
    ['that are none but reasoning', '<think>Hm.', ''],
  ])('%s', (_claim, text, words) => {
    expect(extractText({ text })).toEqual({ ok: true, value: words });
  });
});
