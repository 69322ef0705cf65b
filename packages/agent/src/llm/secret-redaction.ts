import { isRecord } from '@baton/protocol';
import { isDeepStrictEqual } from 'node:util';
import type { AnswerFunction } from '../api/answer-function.ts';
import { LlmCallFailure, toLlmCallFailure } from '../api/llm-call-failure.ts';

/** A shorter key is no secret, such as `none` of an endpoint of one's own, and may be a word of any answer. */
const MIN_SECRET_LENGTH = 8;

/** What stands in the place of a key. */
export const REDACTED = '[redacted]';

/** The characters that a key, and each form of it, is made of: it never holds what ends a word. */
const END_OF_WORD = /[^\x21-\x7e](?=[\x21-\x7e]*$)/;

/**
 * Takes a key out of whatever comes back from an endpoint that echoes it: as it is, percent-encoded, escaped as in JSON or HTML, in
 * hexadecimal digits, in Base64 of it or of a text around it, or cut behind its beginning.
 */
export class SecretRedaction {
  private readonly pattern: RegExp | undefined;
  /** No form of the key is longer. */
  private readonly longest: number;

  constructor(secret: string | undefined) {
    const isSecret = secret !== undefined && secret.length >= MIN_SECRET_LENGTH;
    this.pattern = isSecret ? patternOf(secret) : undefined;
    this.longest = isSecret ? secret.length * LONGEST_FORM + LONGEST_REST : 0;
  }

  text(text: string): string {
    return this.pattern === undefined ? text : text.replace(this.pattern, REDACTED);
  }

  /** A copy of JSON, in whose strings and names the key does not stand. */
  json(value: unknown): unknown {
    return this.pattern === undefined ? value : this.copy(value);
  }

  /** Passes the pieces of a text on, without the key, wherever it is cut: a word is held back until it is whole. */
  stream(pass: (piece: string) => void): (piece: string) => void {
    const { pattern, longest } = this;
    if (pattern === undefined) return pass;
    let held = '';
    return (piece) => {
      held += piece;
      const word = END_OF_WORD.exec(held)?.index ?? -1;
      let end = Math.max(word + 1, held.length - longest);
      for (const { 0: found, index } of held.matchAll(pattern))
        if (index < end && end < index + found.length) end = index + found.length;
      if (end <= 0) return;
      pass(this.text(held.slice(0, end)));
      held = held.slice(end);
    };
  }

  /** `answer` without the key in what it returns, streams or throws. */
  answers(answer: AnswerFunction): AnswerFunction {
    if (this.pattern === undefined) return answer;
    const { probe } = answer;
    const redacted: AnswerFunction = async (asked, { signal, onText }) => {
      try {
        return this.data(
          await answer(asked, onText === undefined ? { signal } : { signal, onText: this.stream(onText) }),
        );
      } catch (thrown) {
        throw this.failure(toLlmCallFailure(thrown));
      }
    };
    if (probe === undefined) return redacted;
    return Object.assign(redacted, {
      probe: async (signal: AbortSignal) => {
        const failure = await probe(signal);
        return failure && this.failure(failure);
      },
    });
  }

  /** Without what caused it, which holds the endpoint's whole reply. */
  private failure(failure: LlmCallFailure): LlmCallFailure {
    const { type, message, kind, scope, retryAfterMs, moreTokens, usage } = failure;
    return new LlmCallFailure(type, this.text(message), { kind, scope, retryAfterMs, moreTokens, usage });
  }

  private data(data: unknown): unknown {
    const redacted = this.json(data);
    if (!isRecord(redacted) || isDeepStrictEqual(data, redacted)) return data;
    // Its tokens are the pieces of the key.
    const { logprobs: _, ...rest } = redacted;
    return rest;
  }

  private copy(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.copy(one));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.text(name), this.copy(one)]));
  }
}

/** Characters of the longest form for each of the key, a reference of HTML or a few of Base64; the rest of a group of Base64 comes to it. */
const LONGEST_FORM = 9;
const LONGEST_REST = 4;

function patternOf(secret: string): RegExp {
  const forms = [formsOf(secret), hexOf(secret), ...base64FormsOf(secret), ...prefixesOf(secret)];
  return new RegExp(forms.join('|'), 'g');
}

/** Each character as it is, percent-encoded, escaped, or as a reference of HTML. */
function formsOf(text: string): string {
  return Array.from(text, formOf).join('');
}

const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

function formOf(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const name = HTML_NAMES[character];
  const html = `&#(?:0?${code}|[xX]${inAnyCase(hex)})${name === undefined ? '' : `|&${name}`}`;
  // As it is comes last: a key may hold the first character of its own reference.
  return `(?:%${inAnyCase(hex)}|\\\\u00${inAnyCase(hex)}|(?:${html});|\\\\?\\x${hex})`;
}

function hexOf(text: string): string {
  return inAnyCase(Buffer.from(text).toString('hex'));
}

function inAnyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * The key within Base64 of a longer text, such as `user:key`: by where it stands in its groups of three bytes, the characters
 * that hold nothing but bits of it. Characters of its last bits, and what fills the group up, go with them.
 */
function base64FormsOf(secret: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const own = bytes
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const rest = bytes.length % 3 === 0 ? '' : '(?:[A-Za-z0-9+/_-]={0,2})?';
    return Array.from(own, base64FormOf).join('') + rest;
  });
}

/** Only the two that the variant for URLs has others for are ever escaped. */
function base64FormOf(character: string): string {
  if (character === '+') return `(?:${formOf('+')}|-)`;
  return character === '/' ? `(?:${formOf('/')}|_)` : character;
}

/** What providers begin all their keys with, such as `sk-proj-` or the header of a token, is no secret. */
const PUBLIC_PREFIX = /^(?:eyJ[\w-]+\.|(?:[a-z0-9]{1,8}[-_]){0,3})/i;
/** So many characters behind that are. */
const MIN_SECRET_PREFIX = 8;
/** Of a shorter key, or a very long one, nothing but the whole is looked for. */
const PREFIXED_LENGTHS = { min: 20, max: 512 };

/** The beginning of a key, as an error shows it that cuts it: what is public of it and at least 8 characters more. */
function prefixesOf(secret: string): string[] {
  const shortest = (PUBLIC_PREFIX.exec(secret)?.[0].length ?? 0) + MIN_SECRET_PREFIX;
  const { min, max } = PREFIXED_LENGTHS;
  if (secret.length < min || secret.length > max || secret.length <= shortest) return [];
  const literal = Array.from(secret, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const more = literal.slice(shortest).reduceRight((longer, one) => `(?:${one}${longer})?`, '');
  return [literal.slice(0, shortest).join('') + more];
}
