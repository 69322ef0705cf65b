import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenAI } from '@ai-sdk/openai';
import type { EndpointKind } from '@baton/protocol';
import { createBoundedFetch } from './bounded-fetch.ts';
import { refusalAsFailure } from './model-reply.ts';
import { metadataExtractor, OPENAI_PROVIDER } from './reply-metadata.ts';
import { wholeReplyAsStream } from './whole-reply.ts';
import { extractReasoningMiddleware, type LanguageModel, wrapLanguageModel } from 'ai';

export interface LlmEndpointOptions {
  readonly provider: EndpointKind;
  /** The API's address, such as `http://127.0.0.1:11434/v1`; the provider's own by default. */
  readonly endpoint?: string | undefined;
  /** Endpoints of one's own may need none. */
  readonly apiKey?: string | undefined;
  /** In the place of Node's own. */
  readonly fetch?: typeof fetch;
}

/** The address of each kind's own API. */
export const PROVIDER_ADDRESSES: Readonly<Record<EndpointKind, string>> = {
  openai: 'https://api.openai.com/v1',
  'openai-responses': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
};

/** Models by id, at an endpoint that speaks OpenAI's chat completions or responses, or Anthropic's messages. */
export function createModelFactory({
  provider,
  endpoint,
  apiKey,
  fetch: given = fetch,
}: LlmEndpointOptions): (modelId: string) => LanguageModel {
  const fetch = createBoundedFetch(given);
  const baseURL = endpoint ?? PROVIDER_ADDRESSES[provider];
  if (provider === 'anthropic') {
    const anthropic = createAnthropic({ baseURL, apiKey: apiKey ?? 'none', fetch });
    return (modelId) => wrapLanguageModel({ model: anthropic(modelId), middleware: wholeReplyAsStream });
  }
  if (provider === 'openai-responses') {
    const openai = createOpenAI({ name: OPENAI_PROVIDER, baseURL, apiKey: apiKey ?? 'none', fetch });
    return (modelId) =>
      wrapLanguageModel({ model: openai.responses(modelId), middleware: wholeReplyAsStream });
  }
  const openai = createOpenAICompatible({
    name: OPENAI_PROVIDER,
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
    metadataExtractor,
    fetch,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  // Reasoning that a model writes between these tags is not part of the answer.
  const middleware = [wholeReplyAsStream, extractReasoningMiddleware({ tagName: 'think' }), refusalAsFailure];
  return (modelId) => wrapLanguageModel({ model: openai(modelId), middleware });
}
