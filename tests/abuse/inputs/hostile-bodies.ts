/** Request bodies as bytes, each with one defect. `around` puts the text of a value into an otherwise valid request. */
export interface HostileBody {
  readonly name: string;
  readonly bytes: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** A false `content-length`. */
  readonly contentLength?: string;
  /** True when the defect may end the connection before a response. */
  readonly mayGoUnanswered?: boolean;
}

const deep = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;

/** Texts of JSON values, valid and almost valid. */
const VALUES: Readonly<Record<string, () => string>> = {
  'depth 20,000 of arrays': () => deep(20_000),
  'depth 20,000 of objects': () => `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  'depth 63 a thousand times': () => `[${Array.from({ length: 1_000 }, () => deep(50)).join(',')}]`,
  'a doubled key': () => '{"a":1,"a":2}',
  'a doubled key 20,000 times': () => `{${Array.from({ length: 20_000 }, () => '"a":1').join(',')}}`,
  __proto__: () => '{"__proto__":{"polluted":1}}',
  '__proto__, escaped': () => String.raw`{"\u005f_proto__":{"polluted":1}}`,
  'constructor.prototype': () => '{"constructor":{"prototype":{"polluted":1}}}',
  '__proto__ in a text, and 60,000 objects': () =>
    `["__proto__\\":",${Array.from({ length: 60_000 }, () => '{"a":1}').join(',')}]`,
  toJSON: () => '{"toJSON":1,"then":1,"valueOf":1,"toString":1,"length":-1}',
  'a lone surrogate': () => String.raw`"\ud800"`,
  'lone surrogates as keys': () => String.raw`{"\ud800":1,"\udc00":2}`,
  NUL: () => String.raw`"a\u0000b"`,
  'NUL as it is': () => '"a\u0000b"',
  '1e999': () => '1e999',
  '-1e999': () => '[-1e999]',
  '-0': () => '-0',
  'a huge integer': () => '9'.repeat(400),
  'a number of 500,000 digits': () => `0.${'1'.repeat(500_000)}`,
  NaN: () => 'NaN',
  'a comment': () => '{/*x*/"a":1}',
  'a comma too many': () => '[1,2,]',
  'an escape that is none': () => String.raw`"\x41"`,
  'half an escape': () => String.raw`"\u12`,
  '200,000 backslashes': () => `"${'\\\\'.repeat(200_000)}"`,
  '80,000 keys': () => `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
  '300,000 empty arrays': () => `[${Array.from({ length: 300_000 }, () => '[]').join(',')}]`,
  '250,000 numbers': () => `[${Array.from({ length: 250_000 }, () => '1').join(',')}]`,
  '900,000 characters': () => `"${'x'.repeat(900_000)}"`,
  '900,000 bytes of four': () => `"${'\u{1f980}'.repeat(225_000)}"`,
};

const INVALID_UTF8 = [
  [0xff, 0xfe],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xe2, 0x82],
];

export function hostileBodies(around: (value: string) => string): HostileBody[] {
  const right = around('1');
  const within = Object.entries(VALUES).map(([name, value]) => ({ name, bytes: around(value()) }));
  const whole = Object.entries(VALUES).map(([name, value]) => ({
    name: `${name}, as the whole`,
    bytes: value(),
  }));
  const invalid = INVALID_UTF8.map((bytes) => ({
    name: `bytes ${Buffer.from(bytes).toString('hex')}`,
    bytes: Buffer.concat(
      [...split(around('"@"'))].flatMap((part, at) => (at === 0 ? [part] : [Buffer.from(bytes), part])),
    ),
  }));
  const typed = (type: string) => ({ name: `as ${type}`, bytes: right, headers: { 'content-type': type } });
  return [
    ...within,
    ...whole,
    ...invalid,
    { name: 'cut off', bytes: right.slice(0, -1) },
    { name: 'cut off in the middle', bytes: right.slice(0, right.length >> 1) },
    { name: 'something after it', bytes: `${right} {}` },
    { name: 'a BOM', bytes: `\ufeff${right}` },
    { name: 'UTF-16', bytes: Buffer.from(right, 'utf16le') },
    { name: 'nothing', bytes: '' },
    { name: 'blanks', bytes: ' \n\t ' },
    { name: '900,000 blanks', bytes: ' '.repeat(900_000) },
    { name: 'over every limit', bytes: around(`"${'x'.repeat(4_300_000)}"`) },
    { name: 'over the limit of the tenant', bytes: around(`"${'x'.repeat(1_100_000)}"`) },
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'application/json;charset="',
      'multipart/form-data',
      'application/json, text/plain',
      '',
    ].map(typed),
    { name: 'gzip', bytes: right, headers: { 'content-encoding': 'gzip' } },
    {
      name: 'chunks that are none',
      bytes: right,
      headers: { 'transfer-encoding': 'chunked' },
      mayGoUnanswered: true,
    },
    { name: 'too short a length', bytes: right, contentLength: '3' },
    { name: 'too long a length', bytes: right, contentLength: '100000', mayGoUnanswered: true },
    { name: 'a negative length', bytes: right, contentLength: '-1' },
    { name: 'a length that is none', bytes: right, contentLength: 'NaN' },
    { name: 'a huge length', bytes: right, contentLength: '99999999999' },
  ];
}

function split(text: string): Buffer[] {
  return text.split('@').map((part) => Buffer.from(part));
}

/** JSON-RPC batches, which only revision 2025-03-26 allows. */
export function hostileBatches(one: object): HostileBody[] {
  const text = JSON.stringify(one);
  const many = (count: number) => `[${Array.from({ length: count }, () => text).join(',')}]`;
  return [
    { name: 'an empty batch', bytes: '[]' },
    { name: 'a batch of one', bytes: many(1) },
    { name: 'a batch of 1,000', bytes: many(1_000) },
    { name: 'a batch of as many as fit', bytes: many(Math.floor(1_000_000 / (text.length + 1))) },
    { name: 'a batch of batches', bytes: `[${many(10)},${many(10)}]` },
    {
      name: 'a batch of 1,000 nothings',
      bytes: `[${Array.from({ length: 1_000 }, () => 'null').join(',')}]`,
    },
    { name: 'a batch with one wrong', bytes: `[${text},7]` },
  ];
}
