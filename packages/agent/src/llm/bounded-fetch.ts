import { JsonTextError, MAX_BODY_BYTES, requireJsonBounds } from '@baton/protocol';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { failureInBody } from './classify-llm-error.ts';

/**
 * `fetch` for an LLM endpoint: a reply is read up to the largest body that Baton takes, and a JSON reply must keep the
 * bounds of JSON that Baton takes. Events of a stream are small; what is put together from them is checked as an answer. A reply of status
 * 200 that is none (a page, nothing, an error) is a failure that says so, whether a stream was asked for or not.
 */
export function createBoundedFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const reply = await send(input, init);
    if (reply.ok && reply.headers.get('content-type')?.includes('html') === true) {
      await reply.body?.cancel();
      throw new HtmlPageFailure();
    }
    return boundReply(reply);
  };
}

/** What a web server answers at another address than that of an API. */
export class HtmlPageFailure extends LlmCallFailure {
  constructor() {
    super('api_error', 'The LLM endpoint answered 200 with a page of HTML.', { kind: 'passing' });
  }
}

const emptyReply = () =>
  new LlmCallFailure('api_error', 'The LLM endpoint answered 200 with an empty body.', { kind: 'passing' });

async function boundReply(reply: Response): Promise<Response> {
  const { body, headers, ok } = reply;
  if (body === null) {
    if (ok) throw emptyReply();
    return reply;
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
    return new Response(body.pipeThrough(counted), reply);
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
  return new Response(text, reply);
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
