/** Schemas and answers that are expensive or dangerous to validate. */
export interface HostileSchema {
  readonly name: string;
  readonly schema: unknown;
  readonly answers: readonly unknown[];
}

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, value]));

function nested(depth: number, around: (inner: unknown) => unknown, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < depth; level++) value = around(value);
  return value;
}

/** Texts that make the patterns backtrack. */
const EVIL = [`${'a'.repeat(5_000)}!`, `${'a'.repeat(100_000)}!`, 'a'.repeat(30), '\u0000', '\ud800'];
const PATTERNS = [
  '^(a+)+$',
  '^(a|aa)+$',
  '^(a|a)*$',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(a{1,1000}){1,1000}',
  '(.*)*\\1',
  '(?=a)a',
  '[',
  '(?<n>a)\\k<n>',
  'a'.repeat(20_000),
  '\\p{L}'.repeat(2_000),
  '(?:a?){500}a{500}',
  '',
];

const patterns = PATTERNS.flatMap((pattern): HostileSchema[] => [
  {
    name: `pattern ${pattern.slice(0, 30)}`,
    schema: { type: 'object', properties: { s: { type: 'string', pattern } } },
    answers: EVIL.map((s) => ({ s })),
  },
  {
    name: `patternProperties ${pattern.slice(0, 30)}`,
    schema: { type: 'object', patternProperties: { [pattern]: { type: 'number' } } },
    answers: EVIL.map((s) => ({ [s]: 1 })),
  },
]);

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [
      `d${n}`,
      { anyOf: [{ $ref: `#/$defs/d${(n + 1) % length}` }, { $ref: `#/$defs/d${(n + 1) % length}` }] },
    ]),
  );
/** Each level refers to the next one twice: the work is 2 to the power of the levels. */
const doubling = (levels: number) => ({
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, n) => [
      `d${n}`,
      n === levels - 1
        ? { type: 'string' }
        : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  ),
  $ref: '#/$defs/d0',
});

export const hostileSchemas: readonly HostileSchema[] = [
  ...patterns,
  { name: '$ref to itself', schema: { $ref: '#' }, answers: [{}, 1] },
  {
    name: '$ref round',
    schema: { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    answers: [{}],
  },
  {
    name: 'a tree',
    schema: { type: 'object', properties: { next: { $ref: '#' } } },
    answers: [nested(50, (next) => ({ next }), {})],
  },
  { name: '$ref round by anyOf', schema: { $defs: chain(20), $ref: '#/$defs/d0' }, answers: [{}] },
  { name: 'allOf doubling 15 times', schema: doubling(15), answers: [{ text: 'x' }, 'x', 1] },
  { name: 'allOf doubling 30 times', schema: doubling(30), answers: ['x', 1] },
  {
    name: '$dynamicRef to itself',
    schema: { $dynamicAnchor: 'x', properties: { a: { $dynamicRef: '#x' } } },
    answers: [{ a: {} }],
  },
  {
    name: '20,000 properties',
    schema: { type: 'object', properties: many(20_000, { type: 'string' }) },
    answers: [],
  },
  {
    name: '2,000 properties',
    schema: { type: 'object', properties: many(2_000, { type: 'string' }) },
    answers: [many(2_000, 1)],
  },
  {
    name: '1,600 required',
    schema: { type: 'object', required: Object.keys(many(1_600, 1)) },
    answers: [{}],
  },
  {
    name: '50 deep',
    schema: nested(50, (inner) => ({ type: 'object', properties: { a: inner } }), {}),
    answers: [],
  },
  {
    name: '15 deep',
    schema: nested(15, (inner) => ({ type: 'object', properties: { a: inner } }), {}),
    answers: [nested(15, (a) => ({ a }), 1)],
  },
  { name: 'not of not', schema: nested(30, (inner) => ({ not: inner }), {}), answers: [{}] },
  { name: 'a remote $ref', schema: { $ref: 'http://127.0.0.1:1/x.json' }, answers: [] },
  {
    name: 'a remote $ref in a field',
    schema: { properties: { a: { $ref: 'https://example.invalid/x' } } },
    answers: [],
  },
  { name: 'a file as $ref', schema: { $ref: 'file:///etc/passwd' }, answers: [] },
  {
    name: 'a $ref to the draft',
    schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
    answers: [{}],
  },
  {
    name: '$id that makes refs remote',
    schema: { $id: 'http://127.0.0.1:1/', properties: { a: { $ref: '#/x' } } },
    answers: [{}],
  },
  {
    name: '$id of the draft',
    schema: { $id: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
    answers: [{}],
  },
  {
    name: '$id twice',
    schema: { $defs: { a: { $id: 'x' }, b: { $id: 'x', type: 'string' } } },
    answers: [{}],
  },
  { name: 'an $id that is none', schema: { $id: 7 }, answers: [{}] },
  { name: 'an $id of the shared kind', schema: { $id: 'same', type: 'object' }, answers: [{}] },
  { name: 'that $id again, otherwise', schema: { $id: 'same', type: 'string' }, answers: ['x', {}] },
  { name: '$schema unknown', schema: { $schema: 'http://127.0.0.1:1/', type: 'object' }, answers: [{}] },
  {
    name: '$schema of draft 7',
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
    answers: [{}],
  },
  { name: '$async', schema: { $async: true, type: 'string' }, answers: [1] },
  { name: '$vocabulary', schema: { $vocabulary: { 'http://127.0.0.1:1/': true } }, answers: [{}] },
  { name: 'an enum of 4,000', schema: { enum: Object.keys(many(4_000, 1)) }, answers: ['p1', 'x', {}] },
  {
    name: 'an enum of objects',
    schema: { enum: Array.from({ length: 500 }, () => many(5, 1)) },
    answers: [many(5, 2)],
  },
  { name: 'an empty enum', schema: { enum: [] }, answers: [{}] },
  { name: 'a contradiction', schema: { type: 'string', minLength: 5, maxLength: 1 }, answers: ['abc'] },
  { name: 'nothing fits', schema: { not: {} }, answers: [{}] },
  { name: 'types that are none', schema: { type: 'everything' }, answers: [{}] },
  {
    name: 'keywords of the wrong kind',
    schema: { properties: 7, required: 'x', minLength: -1, items: null },
    answers: [{}],
  },
  {
    name: 'keywords of JavaScript',
    schema: { constructor: 1, toString: 2, hasOwnProperty: 3, type: 'object' },
    answers: [{}],
  },
  {
    name: 'uniqueItems',
    schema: { type: 'array', uniqueItems: true },
    answers: [
      Array.from({ length: 50_000 }, (_, n) => n),
      Array.from({ length: 5_000 }, (_, n) => ({ n })),
      Array.from({ length: 20_000 }, (_, n) => [n]),
    ],
  },
  {
    name: 'contains',
    schema: { type: 'array', contains: { const: 1 }, maxContains: 1 },
    answers: [Array.from({ length: 100_000 }, () => 0)],
  },
  {
    name: 'unevaluatedProperties',
    schema: {
      anyOf: Array.from({ length: 100 }, (_, n) => ({ properties: { [`p${n}`]: true } })),
      unevaluatedProperties: false,
    },
    answers: [many(5_000, 1)],
  },
  {
    name: 'formats',
    schema: {
      properties: {
        a: { format: 'email' },
        b: { format: 'uri' },
        c: { format: 'regex' },
        d: { format: 'x'.repeat(10_000) },
      },
    },
    answers: [{ a: 'a@'.repeat(50_000), b: 'x:'.repeat(50_000), c: '(a+)+'.repeat(10_000), d: 'd' }],
  },
  {
    name: 'numbers',
    schema: { properties: { n: { type: 'number', multipleOf: 1e-300, maximum: 1e308 } } },
    answers: [{ n: 1e308 }, { n: 0.1 }],
  },
  { name: 'multipleOf 0', schema: { multipleOf: 0 }, answers: [1] },
  {
    name: 'huge lengths',
    schema: { minLength: 1e308, maxItems: 1e308, minProperties: 1e308 },
    answers: ['x', [], {}],
  },
  {
    name: 'dependentRequired',
    schema: { dependentRequired: many(300, Object.keys(many(5, 1))) },
    answers: [many(300, 1)],
  },
  { name: 'a $comment of 60,000', schema: { $comment: 'x'.repeat(60_000) }, answers: [{}] },
  { name: 'over the bytes', schema: { $comment: 'x'.repeat(66_000) }, answers: [] },
  {
    name: 'oneOf of 1,000',
    schema: { oneOf: Array.from({ length: 1_000 }, (_, n) => ({ type: 'object', required: [`p${n}`] })) },
    answers: [{}, many(1_000, 1)],
  },
  {
    name: 'code in names',
    schema: {
      type: 'object',
      properties: { '");process.exit(1);("': { type: 'string' }, '`${process.exit(1)}`': {} },
      required: ['");process.exit(1);("'],
    },
    answers: [{}],
  },
  {
    name: 'names of 10,000',
    schema: { type: 'object', properties: { ['n'.repeat(10_000)]: { type: 'string' } } },
    answers: [{ ['n'.repeat(10_000)]: 1 }],
  },
  { name: 'no schema at all', schema: 7, answers: [] },
  { name: 'a list', schema: [], answers: [] },
  { name: 'true', schema: true, answers: [] },
];
