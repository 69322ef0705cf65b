import { isRecord } from '@baton/protocol';
import type { MetadataExtractor } from '@ai-sdk/openai-compatible';

/** The name of the OpenAI-compatible provider, under which the `ai` package passes its options and what it gives back. */
export const OPENAI_PROVIDER = 'openai';
/** What the package calls the models of OpenAI's responses. */
export const RESPONSES_API = `${OPENAI_PROVIDER}.responses`;
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

/** A model's words in the place of an answer that it will not give: OpenAI's `refusal`, beside `content: null`. */
export function refusalOf(metadata: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const own = metadata?.[OPENAI_PROVIDER];
  const said = isRecord(own) ? own['refusal'] : undefined;
  return typeof said === 'string' ? said : undefined;
}

/**
 * A model's words in the place of an answer, in a reply of OpenAI's responses or in an event of its stream: content of type `refusal`,
 * which the `ai` package does not know. Undefined without any.
 */
export function refusalInResponses(said: unknown): string | undefined {
  if (!isRecord(said)) return undefined;
  if (said['type'] === 'response.refusal.done') return stringIn(said, 'refusal');
  // An event has the reply, or one item of its output.
  const { response, item } = said;
  const { output } = isRecord(response) ? response : said;
  const items = [item, ...(Array.isArray(output) ? output : [])].filter(isRecord);
  const blocks = items.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isRecord) : []));
  const refusals = blocks.flatMap((block) =>
    block['type'] === 'refusal' ? [stringIn(block, 'refusal') ?? ''] : [],
  );
  return refusals.find((words) => words !== '') ?? refusals[0];
}

function stringIn(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = record[name];
  return typeof value === 'string' ? value : undefined;
}

/** Images of a reply, as MCP's blocks: `images` of its message, as OpenRouter has those of models that draw, with `data:` addresses. */
export function imagesOf(metadata: Readonly<Record<string, unknown>> | undefined): readonly ImageBlock[] {
  const own = metadata?.[OPENAI_PROVIDER];
  const urls = isRecord(own) && Array.isArray(own['images']) ? own['images'] : [];
  return urls.flatMap((url): ImageBlock[] => {
    const [, mimeType, data] =
      /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(String(url)) ?? [];
    return mimeType === undefined || data === undefined ? [] : [{ type: 'image', data, mimeType }];
  });
}

export interface ImageBlock {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** Takes `logprobs`, `refusal` and `images` over from replies and from the events of streams, where the `ai` package would drop them. */
export const metadataExtractor: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) =>
    metadataOf(tokensOf(parsedBody), refusalIn(parsedBody, 'message'), imagesIn(parsedBody, 'message')),
  createStreamExtractor() {
    const tokens: unknown[] = [];
    const images: string[] = [];
    let refusal = '';
    return {
      processChunk(event) {
        for (const token of tokensOf(event)) tokens.push(token);
        refusal += refusalIn(event, 'delta');
        images.push(...imagesIn(event, 'delta'));
      },
      buildMetadata: () => metadataOf(tokens, refusal, images),
    };
  },
};

function firstChoice(reply: unknown): Readonly<Record<string, unknown>> {
  const choices = isRecord(reply) ? reply['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isRecord(choice) ? choice : {};
}

function tokensOf(reply: unknown): readonly unknown[] {
  const logprobs = firstChoice(reply)['logprobs'];
  const content = isRecord(logprobs) ? logprobs['content'] : undefined;
  return Array.isArray(content) ? content : [];
}

function refusalIn(reply: unknown, part: 'message' | 'delta'): string {
  const said = firstChoice(reply)[part];
  const refusal = isRecord(said) ? said['refusal'] : undefined;
  return typeof refusal === 'string' ? refusal : '';
}

function imagesIn(reply: unknown, part: 'message' | 'delta'): string[] {
  const said = firstChoice(reply)[part];
  const images: unknown = isRecord(said) ? said['images'] : undefined;
  if (!Array.isArray(images)) return [];
  return images.flatMap((image) => {
    const url = isRecord(image) && isRecord(image['image_url']) ? image['image_url']['url'] : undefined;
    return typeof url === 'string' ? [url] : [];
  });
}

function metadataOf(content: readonly unknown[], refusal: string, images: readonly string[]) {
  const own = {
    ...(content.length === 0 ? {} : { logprobs: { content } as never }),
    ...(refusal === '' ? {} : { refusal }),
    ...(images.length === 0 ? {} : { images: [...images] }),
  };
  return Object.keys(own).length === 0 ? undefined : { [OPENAI_PROVIDER]: own };
}
