import { JsonTextError, MAX_BODY_BYTES, requireJsonBounds } from '@baton/protocol';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { failureInBody } from './classify-llm-error.ts';
import { expectedReply, WholeReplyFailure } from './whole-reply.ts';

/**
 * `fetch` for an LLM endpoint: a reply is read up to the largest body that Baton takes, and a JSON reply must keep the
 * bounds of JSON that Baton takes. Events of a stream are small; what is put together from them is checked as an answer. A reply of status
 * 200 that is none (a page, nothing, an error) is a failure that says so, whether a stream was asked for or not. A whole reply to a request
 * for a stream is a `WholeReplyFailure`, by which it is read all the same.
 */
export function createBoundedFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const expected = expectedReply();
    if (expected instanceof Response) return expected;
    const reply = await send(input, init);
    if (reply.ok && reply.headers.get('content-type')?.includes('html') === true) {
      await reply.body?.cancel();
      throw new HtmlPageFailure();
    }
    const bounded = await boundReply(reply);
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

const emptyReply = () =>
  new LlmCallFailure('api_error', 'The LLM endpoint answered 200 with an empty body.', { kind: 'passing' });

async function boundReply(reply: Response): Promise<BoundedReply> {
  const { body, headers, ok } = reply;
  if (body === null) {
    if (ok) throw emptyReply();
    return { reply, isWhole: false };
  }
  const size = new ReplySize(MAX_BODY_BYTES);
  if (headers.get('content-type')?.includes('json') !== true) {
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size.add(chunk);
        controller.enqueue(chunk);
      },
      flush() {
        if (ok && size.bytes === 0) throw emptyReply();
      },
    });
    return { reply: new Response(body.pipeThrough(counted), reply), isWhole: false };
  }
  const pieces: Uint8Array[] = [];
  // A loop that is left by an error cancels the body.
  for await (const chunk of body) {
    size.add(chunk);
    pieces.push(chunk);
  }
  const text = new TextDecoder().decode(Buffer.concat(pieces));
  if (ok && text.trim() === '') throw emptyReply();
  try {
    requireJsonBounds(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new LlmCallFailure('api_error', `The LLM endpoint's reply ${error.message}.`, { kind: 'passing' });
  }
  const failure = ok ? failureInBody(text) : undefined;
  if (failure !== undefined) throw failure;
  return { reply: new Response(text, reply), isWhole: ok && text.trimStart().startsWith('{') };
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
