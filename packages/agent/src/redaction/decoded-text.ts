import type { TextRange } from './text-matcher.ts';

/** A way in which characters of ASCII are written as others. */
interface Encoding {
  /** Without it a text holds nothing in this encoding. */
  readonly mark: string;
  readonly pattern: RegExp;
  readonly decode: (match: RegExpMatchArray) => string;
}

const HTML_NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const fromHex = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

const ENCODINGS: readonly Encoding[] = [
  { mark: '%', pattern: /%([0-9a-f]{2})/gi, decode: ([, hex]) => fromHex(hex ?? '') },
  {
    mark: '\\',
    pattern: /\\(?:u00([0-9a-f]{2})|([\x21-\x7e]))/gi,
    decode: ([, hex, escaped]) => escaped ?? fromHex(hex ?? ''),
  },
  {
    mark: '&',
    pattern: /&(?:#0?(\d{2,3})|#x([0-9a-f]{2})|(amp|lt|gt|quot|apos));/gi,
    decode: ([, code, hex, name]) => {
      if (name !== undefined) return HTML_NAMES[name.toLowerCase()] ?? '';
      return code === undefined ? fromHex(hex ?? '') : String.fromCharCode(Number(code));
    },
  },
];

/** A text as it reads, and the part of its source that a range of it stands for. */
export interface DecodedText {
  readonly text: string;
  sourceOf(range: TextRange): TextRange;
}

/** A text as it is, percent-decoded, and without the escapes of JSON or HTML. */
export function decodings(text: string): DecodedText[] {
  const found = ENCODINGS.filter(({ mark }) => text.includes(mark));
  return [{ text, sourceOf: (range) => range }, ...found.map((encoding) => decoded(text, encoding))];
}

function decoded(source: string, { pattern, decode }: Encoding): DecodedText {
  const pieces: string[] = [];
  /** By a character's place in the decoded text, its place in the source. */
  const places = new Uint32Array(source.length + 1);
  let [read, length] = [0, 0];
  const keepUntil = (end: number) => {
    pieces.push(source.slice(read, end));
    for (; read < end; read++) places[length++] = read;
  };
  for (const match of source.matchAll(pattern)) {
    keepUntil(match.index);
    pieces.push(decode(match));
    places[length++] = read;
    read += match[0].length;
  }
  keepUntil(source.length);
  places[length] = source.length;
  const sourceOf = ({ start, end }: TextRange) => ({
    start: places[start] as number,
    end: places[end] as number,
  });
  return { text: pieces.join(''), sourceOf };
}
