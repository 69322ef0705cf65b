import { JsonTextError, MAX_BODY_BYTES, requireJsonBounds } from '@baton/protocol';
import { LlmCallFailure } from '../api/llm-call-failure.ts';

/**
 * `fetch` for an LLM endpoint: a reply is read up to the largest body that Baton takes, and a JSON reply must keep the
 * bounds of JSON that Baton takes. Events of a stream are small; what is put together from them is checked as an answer.
 */
export function createBoundedFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => boundReply(await send(input, init));
}

async function boundReply(reply: Response): Promise<Response> {
  if (reply.body === null) return reply;
  const bounded = new Response(reply.body.pipeThrough(upTo(MAX_BODY_BYTES)), reply);
  if (reply.headers.get('content-type')?.includes('json') !== true) return bounded;
  const text = await bounded.text();
  try {
    requireJsonBounds(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new LlmCallFailure('api_error', `The LLM endpoint's reply ${error.message}.`, { kind: 'passing' });
  }
  return new Response(text, reply);
}

function upTo(most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= most) return controller.enqueue(chunk);
      const message = `The LLM endpoint's reply is longer than ${most} bytes, which Baton does not take.`;
      return controller.error(new LlmCallFailure('api_error', message));
    },
  });
}
