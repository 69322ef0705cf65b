import { isRecord } from '@baton/protocol';
import type { MetadataExtractor } from '@ai-sdk/openai-compatible';

/** The name of the OpenAI-compatible provider, under which the `ai` package passes its options and what it gives back. */
export const OPENAI_PROVIDER = 'openai';
/** OpenAI's limit of alternatives of a token. */
const MAX_ALTERNATIVES = 20;

/** The options of the OpenAI-compatible provider that ask for logprobs, if the request does. */
export function logprobOptions(request: Readonly<Record<string, unknown>>) {
  const top = Number(request['topLogprobs'] ?? request['top_logprobs']);
  if (request['logprobs'] !== true) return {};
  const isUsable = Number.isInteger(top) && top >= 0 && top <= MAX_ALTERNATIVES;
  const options = { logprobs: true, ...(isUsable ? { top_logprobs: top } : {}) };
  return options;
}

/** OpenAI's `logprobs` of an answer, by its provider's metadata: `{ content: [{ token, logprob, top_logprobs }] }`. */
export function logprobsOf(metadata: Readonly<Record<string, unknown>> | undefined): unknown {
  const own = metadata?.[OPENAI_PROVIDER];
  return isRecord(own) ? own['logprobs'] : undefined;
}

/** Takes `logprobs` over from replies and from the events of streams, where the `ai` package would drop them. */
export const logprobExtractor: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) => metadataOf(tokensOf(parsedBody)),
  createStreamExtractor() {
    const tokens: unknown[] = [];
    return {
      processChunk(event) {
        for (const token of tokensOf(event)) tokens.push(token);
      },
      buildMetadata: () => metadataOf(tokens),
    };
  },
};

function tokensOf(reply: unknown): readonly unknown[] {
  const choices = isRecord(reply) ? reply['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const logprobs = isRecord(choice) ? choice['logprobs'] : undefined;
  const content = isRecord(logprobs) ? logprobs['content'] : undefined;
  return Array.isArray(content) ? content : [];
}

function metadataOf(content: readonly unknown[]) {
  return content.length === 0 ? undefined : { [OPENAI_PROVIDER]: { logprobs: { content } as never } };
}
