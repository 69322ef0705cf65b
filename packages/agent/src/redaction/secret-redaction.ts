import { isRecord } from '@baton/protocol';
import { isDeepStrictEqual } from 'node:util';
import type { AnswerFunction } from '../api/answer-function.ts';
import { LlmCallFailure, toLlmCallFailure } from '../api/llm-call-failure.ts';
import { SecretEncodings } from './secret-encodings.ts';
import type { TextRange } from './text-matcher.ts';

/** A shorter key is no secret, such as `none` of an endpoint of one's own, and may be a word of any answer. */
const MIN_SECRET_LENGTH = 8;

/** What stands in the place of a key. */
export const REDACTED = '[redacted]';

/** Takes a key out of whatever comes back from an endpoint that echoes it, in each of its forms. */
export class SecretRedaction {
  private readonly forms: SecretEncodings | undefined;

  constructor(secret: string | undefined) {
    const isSecret = secret !== undefined && secret.length >= MIN_SECRET_LENGTH;
    this.forms = isSecret ? new SecretEncodings(secret) : undefined;
  }

  text(text: string): string {
    return this.forms === undefined ? text : redact(text, this.forms.rangesIn(text));
  }

  /** A copy of JSON, in whose strings and names the key does not stand. */
  json(value: unknown): unknown {
    return this.forms === undefined ? value : this.copy(value);
  }

  /**
   * Passes the pieces of a text on, without the key, wherever it is cut: a word is held back until it is whole, or is twice as long as
   * any form of the key.
   */
  stream(pass: (piece: string) => void): (piece: string) => void {
    const { forms } = this;
    if (forms === undefined) return pass;
    let held = '';
    return (piece) => {
      const word = endOfLastWord(piece);
      const ended = word === 0 ? 0 : held.length + word;
      held += piece;
      if (ended === 0 && held.length < 2 * forms.longest) return;
      let end = Math.max(ended, held.length - forms.longest);
      const ranges = forms.rangesIn(held);
      for (const range of ranges) if (range.start < end) end = Math.max(end, range.end);
      const whole = ranges.filter((range) => range.end <= end);
      pass(redact(held.slice(0, end), whole));
      held = held.slice(end);
    };
  }

  /** `answer` without the key in what it returns, streams or throws. */
  answers(answer: AnswerFunction): AnswerFunction {
    if (this.forms === undefined) return answer;
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

/** A text with what stands at these ranges, which do not overlap, replaced. */
function redact(text: string, ranges: readonly TextRange[]): string {
  if (ranges.length === 0) return text;
  const pieces: string[] = [];
  let read = 0;
  for (const { start, end } of ranges) {
    pieces.push(text.slice(read, start), REDACTED);
    read = end;
  }
  return [...pieces, text.slice(read)].join('');
}

/** Where the last character stands that is in no form of a key, and so ends a word; the place behind it, 0 without one. */
function endOfLastWord(text: string): number {
  let end = text.length;
  while (end > 0 && isOfWord(text.charCodeAt(end - 1))) end--;
  return end;
}

function isOfWord(code: number): boolean {
  return code >= 0x21 && code <= 0x7e;
}
