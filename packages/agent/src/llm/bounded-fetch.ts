import { connectionFailureReason, JsonTextError, MAX_BODY_BYTES, requireJsonBounds } from '@baton/protocol';
import { normalizeChatReply } from '../api/chat-reply.ts';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { failureInBody } from './classify-llm-error.ts';
import { FunctionCallLimits } from './function-call-limits.ts';
import { expectedReply, WholeReplyFailure } from './whole-reply.ts';

/**
 * `fetch` for an LLM endpoint: a reply is read up to the largest body that Baton takes, and a JSON reply must keep the
 * bounds of JSON that Baton takes. What is put together from the events of a stream is checked as an answer; function calls are bounded as they come. A reply of status
 * 200 that is none (a page, nothing, an error) is a failure that says so, whether a stream was asked for or not. A whole reply to a request
 * for a stream is a `WholeReplyFailure`, by which it is read all the same. A redirect is never followed, since the key and the prompt would go where it
 * leads: it is a failure `redirect_refused`.
 */
export function createBoundedFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const expected = expectedReply();
    if (expected instanceof Response) return expected;
    const reply = await send(input, { ...init, redirect: 'manual' });
    if (reply.status >= 300 && reply.status < 400) {
      await reply.body?.cancel();
      throw new LlmCallFailure(
        'redirect_refused',
        `The LLM endpoint answered ${reply.status}, a redirect, which is not followed. Name the address that it leads to.`,
      );
    }
    if (reply.ok && reply.headers.get('content-type')?.includes('html') === true) {
      await reply.body?.cancel();
      throw new HtmlPageFailure();
    }
    const bounded = await boundReply(reply, init?.signal);
    if (bounded.isWhole && expected === 'stream') throw new WholeReplyFailure(bounded.reply);
    return bounded.reply;
  };
}

/** `isWhole`: it is an answer in JSON, and no stream, however its type is given. */
interface BoundedReply {
  readonly reply: Response;
  readonly isWhole: boolean;
}

/** What a web server answers at another address than that of an API. */
export class HtmlPageFailure extends LlmCallFailure {
  constructor() {
    super('api_error', 'The LLM endpoint answered 200 with a page of HTML.', { kind: 'passing' });
  }
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') === true;
const passingFailure = (message: string, cause?: unknown) =>
  new LlmCallFailure('api_error', message, { kind: 'passing', cause });
const emptyReply = () => passingFailure('The LLM endpoint answered 200 with an empty body.');

/** @param signal of the call: what it ends is no reply that broke off. */
async function boundReply(reply: Response, signal: AbortSignal | null | undefined): Promise<BoundedReply> {
  const { body, ok } = reply;
  if (body === null) {
    if (ok) throw emptyReply();
    return { reply, isWhole: false };
  }
  const checked = checkedBody(body, reply, signal);
  if (!isJson(reply)) return { reply: new Response(checked, reply), isWhole: false };
  const pieces: Uint8Array[] = [];
  // A loop that is left by an error cancels the body.
  for await (const piece of checked) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  if (ok && text.trim() === '') throw emptyReply();
  try {
    requireJsonBounds(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw passingFailure(`The LLM endpoint's reply ${error.message}.`);
  }
  const failure = ok ? failureInBody(text) : undefined;
  if (failure !== undefined) throw failure;
  return {
    reply: new Response(ok ? normalizeChatReply(text) : text, reply),
    isWhole: ok && text.trimStart().startsWith('{'),
  };
}

/**
 * A reply's body as UTF-8, whatever character set its type names. Errors of the stream: LlmCallFailure `answer_too_large` (too many bytes or function calls), and `api_error`
 * for a body that breaks off, is empty or is no text of its character set.
 */
function checkedBody(
  body: ReadableStream<Uint8Array>,
  reply: Response,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const text = new ReplyText(reply);
  const size = new ReplySize(MAX_BODY_BYTES);
  const calls = new FunctionCallLimits(!isJson(reply));
  const read = async () => {
    try {
      return await reader.read();
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown;
      const reason = connectionFailureReason(thrown);
      throw passingFailure(`The LLM endpoint's reply ended before it was whole: ${reason}`, thrown);
    }
  };
  /** Passes on what is read next: a pull that passes nothing on would be the last. */
  const passNext = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (let decoded = ''; decoded === ''; ) {
      const { done, value } = await read();
      if (value !== undefined) size.add(value);
      decoded = text.decode(value);
      calls.add(decoded);
      if (decoded !== '') controller.enqueue(Buffer.from(decoded));
      if (!done) continue;
      if (reply.ok && size.bytes === 0) throw emptyReply();
      return controller.close();
    }
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        await passNext(controller);
      } catch (thrown) {
        // What is not read any further is not sent any further.
        await reader.cancel(thrown).catch(() => {});
        throw thrown;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Decodes a reply by the character set that its type names, UTF-8 without one. The words of an error are read as far as UTF-8 reads them. */
class ReplyText {
  private readonly charset: string;
  private readonly fatal: boolean;
  private decoder: InstanceType<typeof TextDecoder> | undefined;

  constructor({ headers, ok }: Response) {
    const named = /;\s*charset="?([\w.:-]{1,40})/i.exec(headers.get('content-type') ?? '')?.[1];
    this.charset = (ok ? named : undefined) ?? 'utf-8';
    this.fatal = ok;
  }

  /** The text of the next bytes, or of what is left at the end. Errors: LlmCallFailure `api_error`, also for a character set that is not known. */
  decode(bytes: Uint8Array | undefined): string {
    try {
      this.decoder ??= new TextDecoder(this.charset, { fatal: this.fatal });
      return this.decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (thrown) {
      throw passingFailure(`The LLM endpoint's reply is no text in ${this.charset}.`, thrown);
    }
  }
}

/** Counts the bytes of a reply. Errors: LlmCallFailure `answer_too_large` once there are more than `most`. */
class ReplySize {
  bytes = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  add({ byteLength }: Uint8Array): void {
    this.bytes += byteLength;
    if (this.bytes <= this.most) return;
    const message = `The LLM endpoint's reply is longer than ${this.most} bytes, which Baton does not take.`;
    throw new LlmCallFailure('answer_too_large', message);
  }
}
