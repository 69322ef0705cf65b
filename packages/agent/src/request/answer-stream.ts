import { type AgentAnswer, BatonError, textAsSent, isRecord } from '@baton/protocol';
import type { GatewayClient } from '../gateway/gateway-client.ts';
import { postWithRetries } from './post-answer-with-retries.ts';

/** A chunk is posted when so many characters have come, or so long after the first of them. */
const BATCH_CHARACTERS = 4_096;
const BATCH_MS = 250;
/** Characters of a chunk at most: more come while an earlier chunk is being posted. */
const MAX_CHUNK_CHARACTERS = 16_384;
/** The highest number of a stream that Baton takes; and how often chunks that others posted are stepped over. */
const MAX_STREAM = 1_000;
const MAX_REPLACEMENTS = 5;

type Success = Extract<AgentAnswer, { status: 'success' }>;
type AnswerData = Success['data'];

/**
 * Posts the text of one request as it comes, in the background, one chunk after the other. Each try of the LLM call is a
 * stream of its own, and replaces those before it, also one that another agent left.
 */
export class AnswerStream {
  private readonly gateway: GatewayClient;
  private readonly interactionId: string;
  private readonly stopped: AbortSignal;
  private stream = 0;
  private replacements = 0;
  /** Chunks of the current stream that were sent. */
  private chunks = 0;
  /** The text of the current try, and how many characters of it are in chunks. */
  private text = '';
  private sent = 0;
  private isRefused = false;
  /** Baton refused the last chunk for the rate, which is waited for: but not once all of the answer is there. */
  private isOverRate = false;
  private isWhole = false;
  private tryEnded = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private posting: Promise<void> | undefined;

  /** @param stopped aborted when no request is to be finished any more. */
  constructor(gateway: GatewayClient, interactionId: string, stopped: AbortSignal) {
    this.gateway = gateway;
    this.interactionId = interactionId;
    this.stopped = stopped;
  }

  /** Begins a try; the function that it returns takes the try's text, piece by piece, and nothing once the try is over. */
  begin(): (piece: string) => void {
    this.stop();
    this.text = '';
    this.isWhole = false;
    this.restart(this.chunks > 0 ? this.stream + 1 : this.stream);
    this.tryEnded = new AbortController();
    const { signal } = this.tryEnded;
    return (piece) => {
      if (signal.aborted) return;
      this.text += piece;
      this.schedule();
    };
  }

  /**
   * Posts the rest of the text of the try that gave `data`; returns the answer that ends the stream. An answer may overdraw the rate and
   * no chunk may: where that is used up it is the whole answer, at once.
   */
  async finish(data: AnswerData): Promise<Success> {
    clearTimeout(this.timer);
    this.isWhole = true;
    if (this.isOverRate) this.refuse();
    await this.posting;
    clearTimeout(this.timer);
    const whole = textAsSent(data);
    const text = whole.ok ? whole.value : '';
    // The answer came before the first chunk.
    if (this.isRefused || (this.stream === 0 && this.chunks === 0)) return this.wholeAnswer(data);
    if (text !== this.text) {
      this.begin();
      this.isWhole = true;
      this.text = text;
    }
    return this.end(data);
  }

  /** After Baton refused the end of the stream for chunks of stream `current`: the whole answer, which takes their place. */
  replace(current: number, data: AnswerData): Success {
    this.stop();
    return { status: 'success', stream: current + 1, chunks: 0, data };
  }

  /** Posts nothing more. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.posting = undefined;
    this.tryEnded.abort();
  }

  private async end(data: AnswerData): Promise<Success> {
    clearTimeout(this.timer);
    await this.post(this.tryEnded.signal, { isEnd: true });
    if (this.isRefused) return this.wholeAnswer(data);
    const { text: _, ...rest } = isRecord(data) ? data : { text: data };
    return { status: 'success', stream: this.stream, chunks: this.chunks, data: rest };
  }

  /** Without chunks: in the place of those that were posted, and refused where another agent has left some. */
  private wholeAnswer(data: AnswerData): Success {
    return this.chunks > 0 ? this.replace(this.stream, data) : { status: 'success', chunks: 0, data };
  }

  private schedule(): void {
    if (this.posting !== undefined || this.isRefused) return;
    const unsent = this.text.length - this.sent;
    if (unsent >= BATCH_CHARACTERS) this.startPosting();
    else if (unsent > 0) this.timer ??= setTimeout(() => this.startPosting(), BATCH_MS);
  }

  private startPosting(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { signal } = this.tryEnded;
    this.posting = this.post(signal, { isEnd: false }).then(() => {
      if (signal.aborted) return;
      this.posting = undefined;
      this.schedule();
    });
  }

  /** Posts the text that has come by now. A stream that ends has one chunk at least, which drops those of earlier ones. */
  private async post(signal: AbortSignal, { isEnd }: { isEnd: boolean }): Promise<void> {
    const upTo = this.text.length;
    while (!this.isRefused && !signal.aborted && (this.sent < upTo || (isEnd && this.chunks === 0))) {
      const end = this.cut(Math.min(upTo, this.sent + MAX_CHUNK_CHARACTERS), isEnd);
      if (end === this.sent && !isEnd) return;
      const delta = this.text.slice(this.sent, end).toWellFormed();
      const chunk = { status: 'streaming', stream: this.stream, sequence: this.chunks++, delta } as const;
      this.sent = end;
      await this.postChunk(chunk, signal);
    }
  }

  /** A place at or before `end` that is not within a surrogate pair, whose second half may be still to come. */
  private cut(end: number, isEnd: boolean): number {
    const code = this.text.charCodeAt(end - 1);
    const isOpen = code >= 0xd800 && code <= 0xdbff;
    return isOpen && !(isEnd && end === this.text.length) ? end - 1 : end;
  }

  private async postChunk(
    chunk: Parameters<GatewayClient['postAnswer']>[1],
    signal: AbortSignal,
  ): Promise<void> {
    const until = AbortSignal.any([this.stopped, signal]);
    const noteRate = (error: unknown) => {
      this.isOverRate = error instanceof BatonError && error.code === 'limit_rate';
      if (this.isOverRate && this.isWhole) this.refuse();
      throw error;
    };
    try {
      const post = () => this.gateway.postAnswer(this.interactionId, chunk, 0, until).catch(noteRate);
      const delivery = await postWithRetries(post, until);
      if (delivery.kind === 'taken') this.isOverRate = false;
      if (signal.aborted || delivery.kind === 'taken') return;
      const current = delivery.kind === 'refused' ? streamInTheWay(delivery.error) : undefined;
      if (current === undefined || ++this.replacements > MAX_REPLACEMENTS) this.isRefused = true;
      else this.restart(current + 1);
    } catch {
      // The key was refused, as the answer will be, which says so.
      if (!signal.aborted) this.isRefused = true;
    }
  }

  /** No chunk is posted any more, and none that is being posted is waited for. */
  private refuse(): void {
    this.isRefused = true;
    this.tryEnded.abort();
  }

  /** The current try's text is posted from its beginning, as another stream. */
  private restart(stream: number): void {
    this.stream = stream;
    this.chunks = 0;
    this.sent = 0;
    if (stream > MAX_STREAM) this.isRefused = true;
  }
}

/** The stream whose chunks Baton refused a chunk, or the end of a stream, for. */
export function streamInTheWay({ code, details }: { code: string; details: object }): number | undefined {
  const { stream } = details as { stream?: unknown };
  return code === 'invalid_arguments' && typeof stream === 'number' ? stream : undefined;
}
