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
 * Takes a key out of whatever comes back from an endpoint that echoes it: as it is, percent-encoded, escaped as in JSON, in Base64, or any
 * of these behind `Bearer`.
 */
export class SecretRedaction {
  private readonly pattern: RegExp | undefined;
  /** No form of the key is longer. */
  private readonly longest: number;

  constructor(secret: string | undefined) {
    const isSecret = secret !== undefined && secret.length >= MIN_SECRET_LENGTH;
    this.pattern = isSecret ? patternOf(secret) : undefined;
    this.longest = isSecret ? secret.length * LONGEST_FORM : 0;
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
    const { type, message, kind, scope, retryAfterMs, moreTokens } = failure;
    return new LlmCallFailure(type, this.text(message), { kind, scope, retryAfterMs, moreTokens });
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

/** Characters of the longest form for each of the key: 4 of Base64 for 3, each escaped as in JSON. */
const LONGEST_FORM = 8;

function patternOf(secret: string): RegExp {
  const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return new RegExp(`${formsOf(secret)}|${formsOf(encoded)}`, 'g');
}

/** Each character as it is, percent-encoded or escaped. */
function formsOf(text: string): string {
  return Array.from(text, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    const anyCase = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return `(?:\\\\?\\x${hex}|%${anyCase}|\\\\u00${anyCase})`;
  }).join('');
}
