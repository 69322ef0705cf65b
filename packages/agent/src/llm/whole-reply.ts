import { AsyncLocalStorage } from 'node:async_hooks';
import { type LanguageModelMiddleware, simulateStreamingMiddleware } from 'ai';
import { LlmCallFailure } from '../api/llm-call-failure.ts';

/** A whole reply to a request for a stream: an endpoint that streams nothing has ignored `stream`. */
export class WholeReplyFailure extends LlmCallFailure {
  readonly reply: Response;

  constructor(reply: Response) {
    const type = reply.headers.get('content-type');
    super('api_error', `The LLM endpoint answered a request for a stream with a whole reply (${type}).`);
    this.reply = reply;
  }
}

/** What a model's call expects of `fetch`: a stream, or this reply, which is there already. */
type Expected = 'stream' | Response;

const expected = new AsyncLocalStorage<Expected>();

/** What the call that is under way expects; undefined for one that asks for a whole reply. */
export function expectedReply(): Expected | undefined {
  return expected.getStore();
}

/** Reads a whole reply as a stream of one piece, without another call. */
export const wholeReplyAsStream: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  async wrapStream(call) {
    try {
      return await expected.run('stream', async () => call.doStream());
    } catch (thrown) {
      if (!(thrown instanceof WholeReplyFailure)) throw thrown;
      const doGenerate = () => expected.run(thrown.reply, async () => call.doGenerate());
      const simulated = await simulateStreamingMiddleware().wrapStream?.({ ...call, doGenerate });
      if (simulated === undefined) throw thrown;
      return simulated;
    }
  },
};
