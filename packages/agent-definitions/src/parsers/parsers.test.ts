import { describe, expect, test } from 'vitest';
import type { ParserTag } from '../prompt/prompt.ts';
import { answerParserOf } from './answer-parser.ts';
import { findMarkdownTags } from './markdown-tags.ts';
import { findXmlTags } from './xml-tags.ts';

const tag = (name: string, more: Partial<ParserTag> = {}): ParserTag => ({
  name,
  required: true,
  signal: false,
  many: false,
  ...more,
});
const tags = [
  tag('answer'),
  tag('note', { required: false }),
  tag('item', { required: false, many: true }),
  tag('done', { required: false, signal: true }),
];

function read(type: 'xml' | 'md', text: string, args = {}) {
  const turn = answerParserOf({ type, tags }, args).read({ text }).next();
  expect(turn.done).toBe(true);
  return turn.value as unknown;
}
const fits = (value: object) => ({ ok: true, value: { item: [], done: false, ...value } });
const problem = (words: string) => ({ ok: false, problem: expect.stringContaining(words) });

describe('XML tags', () => {
  test.each<[string, string, object]>([
    ['one', 'So: <answer> yes </answer>.', fits({ answer: 'yes' })],
    [
      'several of one kind',
      '<item>a</item><answer>b</answer><item>c</item>',
      fits({ answer: 'b', item: ['a', 'c'] }),
    ],
    ['a signal', '<answer>a</answer><done/>', fits({ answer: 'a', done: true })],
    ['a signal that is closed', '<answer>a</answer><done></done>', fits({ answer: 'a', done: true })],
    ['attributes', '<answer lang="en">a</answer>', fits({ answer: 'a' })],
    ['code with signs', '<answer>if (a<b && c>d) x</answer>', fits({ answer: 'if (a<b && c>d) x' })],
    ['CDATA', '<answer><![CDATA[<p>]]></answer>', fits({ answer: '<p>' })],
    [
      'CDATA among words, with its own name in it',
      '<answer>a <![CDATA[</answer><b>]]> c <![CDATA[d]]></answer>',
      fits({ answer: 'a </answer><b> c d' }),
    ],
    ['attributes with signs', '<answer if="a > b" or=\'<\'>a</answer>', fits({ answer: 'a' })],
    ['one in a comment', '<!-- <answer>x</answer> --><answer>a</answer>', fits({ answer: 'a' })],
    [
      'one in thoughts',
      '<think>Is <answer>x</answer> right?</think><answer>a</answer>',
      fits({ answer: 'a' }),
    ],
    ['thoughts that never end', '<think><answer>a</answer>', fits({ answer: 'a' })],
    ['a comment that never ends', '<answer>a <!-- b</answer>', fits({ answer: 'a <!-- b' })],
    ['entities, as they are written', '<answer>a &lt; b</answer>', fits({ answer: 'a &lt; b' })],
    ['others within', '<answer>a <b>c</b></answer>', fits({ answer: 'a <b>c</b>' })],
    [
      'its own within',
      '<answer>see <note>n</note></answer>',
      fits({ answer: 'see <note>n</note>', note: 'n' }),
    ],
    [
      'one that is only named within',
      '<answer>write <note> here</answer>',
      fits({ answer: 'write <note> here' }),
    ],
    ['a closing one alone', '</note><answer>a</answer>', fits({ answer: 'a' })],
    ['none', 'yes', problem('<answer> is missing')],
    ['one that is cut off', '<answer>ye', problem('<answer> is opened and never closed')],
    ['one too many', '<answer>a</answer><answer>b</answer>', problem('<answer> stands there 2 times')],
  ])('%s', (_claim, text, expected) => {
    expect(read('xml', text)).toEqual(expected);
  });

  test('of one kind within each other are both found, the outer one first', () => {
    expect(findXmlTags('<a>1<a>2</a></a>', ['a']).sections).toEqual([
      { name: 'a', text: '1<a>2</a>' },
      { name: 'a', text: '2' },
    ]);
  });
});

describe('Markdown tags', () => {
  test.each<[string, string, object]>([
    ['one', 'So:\n```answer\nyes\n```\n', fits({ answer: 'yes' })],
    ['tildes', '~~~answer\n```\nyes\n```\n~~~', fits({ answer: '```\nyes\n```' })],
    ['shorter fences within', '````answer\n```js\nx\n```\n````', fits({ answer: '```js\nx\n```' })],
    ['further words of the info string', '```answer title="x"\nyes\n```', fits({ answer: 'yes' })],
    [
      'several, and a signal',
      '```item\na\n```\n```answer\nb\n```\n```item\nc\n```\n```done\n```',
      fits({ answer: 'b', item: ['a', 'c'], done: true }),
    ],
    ['code within a line', '```answer``` is missing', problem('```answer is missing')],
    ['one that is cut off', '```answer\nye', problem('never closed')],
  ])('%s', (_claim, text, expected) => {
    expect(read('md', text)).toEqual(expected);
  });
});

describe('arguments of a parser', () => {
  test('make tags required, or not', () => {
    expect(read('xml', '<answer>a</answer>', { required: ['note'] })).toEqual(problem('<note> is missing'));
    expect(read('xml', 'a', { optional: ['answer'] })).toEqual(fits({}));
  });

  test.each<['xml' | 'text', { required: string[] }]>([
    ['xml', { required: ['other'] }],
    ['text', { required: ['answer'] }],
  ])('of tags that a parser of type %s lacks are refused', (type, args) => {
    const parser = type === 'text' ? { type } : { type, tags };
    expect(() => answerParserOf(parser, args)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    );
  });
});

test('tags that stand within each other thousands of times are a problem, and no multiple of the answer', () => {
  const deep = (times: number) => '<item>'.repeat(times) + '</item>'.repeat(times);
  const optional = { optional: ['answer'] };
  expect(read('xml', deep(20), optional)).toMatchObject({ ok: true });
  expect(read('xml', deep(9_000), optional)).toEqual(problem('tags stand within each other too often'));
});

test.each<['xml' | 'md', string]>([
  ['xml', '<item>a</item>'],
  ['xml', '<item>'],
  ['xml', '<item/>'],
  ['md', '```item\na\n```\n'],
  ['md', '```other\na\n```\n'],
])('an answer of type %s with %j more than 10,000 times is a problem', (type, text) => {
  const optional = { optional: ['answer'] };
  const many = problem('the answer has more than 10000 tags or code blocks');
  expect(read(type, text.repeat(10_000), optional)).not.toEqual(many);
  expect(read(type, text.repeat(10_001), optional)).toEqual(many);
});

test('a code block with line ends of two characters is read as one with line ends of one', () => {
  expect(read('md', '```answer\r\na\r\n\r\nb\r\n```')).toEqual(fits({ answer: 'a\n\nb' }));
});

test('the model is told the tags, and what each of them is for', () => {
  expect(answerParserOf({ type: 'xml', tags }).instructions).toBe(
    'Answer in XML tags, such as <name>...</name>, each closed:\n- <answer> (required)\n- <note> (if there is something to say)\n' +
      '- <item> (if there is something to say; once for each)\n- <done> (if there is something to say; empty: that it is there is what counts)',
  );
});

test.each<[string, string]>([
  ['tags that never close', '<answer>'.repeat(50_000)],
  ['closing tags', '</answer>'.repeat(50_000)],
  ['tags that begin', '<answer '.repeat(50_000)],
  ['pairs crossed', '<answer><item>'.repeat(20_000) + '</answer></item>'.repeat(20_000)],
  ['comments', '<!--'.repeat(100_000)],
  ['CDATA', '<![CDATA['.repeat(50_000)],
  ['CDATA in tags', '<answer>'.repeat(5_000) + '<![CDATA[]]>'.repeat(20_000) + '</answer>'.repeat(5_000)],
  ['thoughts', '<think><thinking>'.repeat(30_000)],
  ['quotes', `<answer "<answer '`.repeat(25_000)],
  ['blanks', `<answer${' '.repeat(400_000)}`],
  ['fences', '```\n'.repeat(100_000)],
  ['backticks', '`'.repeat(400_000)],
  ['line breaks', '\r\n'.repeat(200_000)],
])('%s without end take no more than their length', (_what, text) => {
  const names = ['answer', 'item'];
  // Time that grows with the square would be minutes, which the test has not.
  expect(findXmlTags(text, names)).toBeDefined();
  expect(findMarkdownTags(text, names)).toBeDefined();
});
