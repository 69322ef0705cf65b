import { decodings } from './decoded-text.ts';
import { TextMatcher, type TextRange } from './text-matcher.ts';

/** A form of a key: `rest` is what goes with it, if it stands behind it. */
interface SecretEncoding {
  readonly matcher: TextMatcher;
  readonly rest?: RegExp;
}

/** Characters of the longest form for each of the key: the references of HTML for a few of Base64. */
const LONGEST_FORM = 10;
/** The rest of a group of Base64. */
const LONGEST_REST = 4;

/**
 * The forms in which a key may come back: as it is, in hexadecimal digits, in Base64 of it or of a text around it, or cut behind its
 * beginning, and each of them also percent-encoded or escaped as in JSON or HTML. To look for them takes a time that grows with the text alone.
 */
export class SecretEncodings {
  /** No form of the key is longer. */
  readonly longest: number;
  private readonly forms: readonly SecretEncoding[];

  constructor(secret: string) {
    this.longest = secret.length * LONGEST_FORM + LONGEST_REST;
    const hex = Buffer.from(secret).toString('hex');
    this.forms = [
      { matcher: new TextMatcher(secret, shortestBeginning(secret)) },
      ...[hex, hex.toUpperCase()].map((digits) => ({ matcher: new TextMatcher(digits) })),
      ...[0, 1, 2].flatMap((before) => base64Forms(secret, before)),
    ];
  }

  /** Where they stand in a text, in its order, without overlap. */
  rangesIn(text: string): TextRange[] {
    const found: TextRange[] = [];
    for (const reading of decodings(text))
      for (const { matcher, rest } of this.forms)
        for (const range of matcher.rangesIn(reading.text)) {
          const end = rest === undefined ? range.end : endOfRest(rest, reading.text, range.end);
          found.push(reading.sourceOf({ start: range.start, end }));
        }
    return union(found);
  }
}

function endOfRest(rest: RegExp, text: string, end: number): number {
  rest.lastIndex = end;
  rest.exec(text);
  return Math.max(end, rest.lastIndex);
}

function union(ranges: TextRange[]): TextRange[] {
  const apart: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else apart.push({ start, end });
  }
  return apart;
}

/**
 * The key within Base64 of a longer text, such as `user:key`, by how many bytes are `before` it in its group of three: the characters
 * that hold nothing but bits of it, in the alphabet for URLs too. Characters of its last bits, and what fills the group up, go with them.
 */
function base64Forms(secret: string, before: number): SecretEncoding[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const first = Math.ceil((before * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  const texts = new Set(
    (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet).slice(first, end)),
  );
  const rest = bytes.length % 3 === 0 ? {} : { rest: /[A-Za-z0-9+/_-]={0,2}/y };
  return Array.from(texts, (text) => ({ matcher: new TextMatcher(text), ...rest }));
}

/** What providers begin all their keys with, such as `sk-proj-` or the header of a token, is no secret. */
const PUBLIC_PREFIX = /^(?:eyJ[\w-]+\.|(?:[a-z0-9]{1,8}[-_]){0,3})/i;
/** So many characters behind that are. */
const MIN_SECRET_PREFIX = 8;
/** Of a shorter key nothing but the whole is looked for. */
const MIN_PREFIXED_LENGTH = 20;

/** How much of a key's beginning, as an error shows it that cuts it, is a secret: what is public of it and 8 characters more. */
function shortestBeginning(secret: string): number {
  const shortest = (PUBLIC_PREFIX.exec(secret)?.[0].length ?? 0) + MIN_SECRET_PREFIX;
  return secret.length < MIN_PREFIXED_LENGTH ? secret.length : Math.min(shortest, secret.length);
}
