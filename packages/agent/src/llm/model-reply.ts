import { isRecord, parseJson } from '@baton/protocol';
import {
  generateText,
  type LanguageModelMiddleware,
  type LanguageModelUsage,
  NoObjectGeneratedError,
  streamText,
} from 'ai';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { usageOf } from '../api/usage.ts';
import { refusalFailure } from './classify-llm-error.ts';
import { MAX_CALLS_OF_REPLY, tooManyCalls } from './function-call-limits.ts';
import {
  type ImageBlock,
  imagesOf,
  logprobsOf,
  refusalInResponses,
  refusalOf,
  RESPONSES_API,
} from './reply-metadata.ts';

/** A stream without a chunk for this long counts as stopped. */
const STALL_MS = 60_000;

export type CallSettings = Parameters<typeof generateText>[0];

/** A model's reply, streamed or not. */
export interface ModelReply {
  readonly text: string;
  /** Those that are for the caller: what the endpoint runs by itself is no part of it. */
  readonly toolCalls: readonly { toolCallId: string; toolName: string; input: unknown }[];
  /** What the model drew beside its words. */
  readonly images: readonly ImageBlock[];
  readonly model: string | undefined;
  readonly usage: LanguageModelUsage | undefined;
  readonly logprobs?: unknown;
  readonly finishReason: string | undefined;
  /** As the endpoint calls it. */
  readonly rawFinishReason?: string | undefined;
}

export async function generateReply(settings: CallSettings): Promise<ModelReply> {
  try {
    const said = await generateText(settings);
    const { text, response, usage, finishReason, rawFinishReason, providerMetadata } = said;
    const logprobs = logprobsOf(providerMetadata);
    const toolCalls = said.toolCalls.filter(({ providerExecuted }) => providerExecuted !== true);
    const images = imagesOf(providerMetadata);
    const model = response.modelId;
    return { text, toolCalls, images, model, usage, finishReason, rawFinishReason, logprobs };
  } catch (error) {
    // The answer checker reports text that is not JSON, and has it repaired.
    if (!NoObjectGeneratedError.isInstance(error) || error.text === undefined) throw error;
    const { text, response, usage, finishReason } = error;
    return { text, toolCalls: [], images: [], model: response?.modelId, usage, finishReason };
  }
}

export async function streamReply(
  settings: CallSettings,
  onText: (piece: string) => void,
): Promise<ModelReply> {
  const { output: _, ...streamed } = settings;
  const { model } = settings;
  const stream = streamText({
    ...streamed,
    timeout: { chunkMs: STALL_MS },
    // Elsewhere a ping would count as a chunk.
    includeRawChunks: typeof model !== 'string' && model.provider === RESPONSES_API,
    onError: () => {},
  });
  let text = '';
  let refusal: string | undefined;
  const toolCalls: ModelReply['toolCalls'][number][] = [];
  let begunCalls = 0;
  for await (const part of stream.fullStream) {
    if (part.type === 'raw') refusal ??= refusalInResponses(part.rawValue);
    else if (part.type === 'text-delta') {
      text += part.text;
      onText(part.text);
    } else if (part.type === 'tool-input-start') {
      if (++begunCalls > MAX_CALLS_OF_REPLY) throw tooManyCalls(`${MAX_CALLS_OF_REPLY}`);
    } else if (part.type === 'tool-call') {
      if (part.providerExecuted !== true) toolCalls.push(part);
    } else if (part.type === 'error') throw part.error;
    else if (part.type === 'abort')
      throw new LlmCallFailure('timeout_error', 'The stream stood still.', { kind: 'passing' });
    else if (part.type === 'finish-step') {
      const { finishReason, rawFinishReason, usage, response, providerMetadata } = part;
      throwRefusal(refusal ?? refusalOf(providerMetadata), part);
      // A connection that closes early ends a stream without an error, and without a reason.
      if (rawFinishReason === undefined && finishReason !== 'stop' && finishReason !== 'tool-calls')
        throw new LlmCallFailure('api_error', 'The stream ended before the answer did.', { kind: 'passing' });
      const logprobs = logprobsOf(providerMetadata);
      const images = imagesOf(providerMetadata);
      const model = response.modelId;
      return { text, toolCalls, images, model, usage, finishReason, rawFinishReason, logprobs };
    }
  }
  throw new LlmCallFailure('api_error', 'The stream ended before the answer began.', { kind: 'passing' });
}

/** Ends a call whose reply is a refusal, before the `ai` package reads the missing answer as JSON. */
export const refusalAsFailure: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  async wrapGenerate({ doGenerate }) {
    const reply = await doGenerate();
    throwRefusal(refusalOf(reply.providerMetadata), reply);
    return reply;
  },
};

/** @param reply with the `usage` that it was given with. */
function throwRefusal(words: string | undefined, reply: object): void {
  if (words !== undefined) throw refusalFailure(words, usageOf(reply));
}

/** What bounded a reply, in tokens: what its call allowed, and what no call of this agent may allow more than. */
interface TokenLimits {
  readonly limit: number | undefined;
  readonly cap: number | undefined;
  /** Whether the endpoint may be told of a limit of so many. */
  readonly mayAllow: (tokens: number) => boolean;
}

/**
 * Whether a model ended its reply itself. Errors: LlmCallFailure `agent_refused`, `content_filter`, `answer_cut` (with the tokens to allow
 * when it is asked again, where more may be allowed), and `api_error` for a reply with nothing in it, each with the usage of the reply.
 */
export function requireWholeReply(reply: ModelReply, asked: DelegatedRequest, limits: TokenLimits): void {
  const { text, toolCalls, images, finishReason, rawFinishReason } = reply;
  const usage = usageOf(reply);
  // Anthropic's form of a refusal has its words in the text, if it has any.
  if (rawFinishReason === 'refusal') throwRefusal(text, reply);
  // Anthropic's, of tools that it runs itself: what it has said so far is no answer.
  if (rawFinishReason === 'pause_turn')
    throw new LlmCallFailure('api_error', 'The LLM paused before its answer was whole.', {
      kind: 'passing',
      usage,
    });
  if (finishReason === 'content-filter')
    throw new LlmCallFailure('content_filter', 'The LLM endpoint withheld the answer, or the rest of it.', {
      usage,
    });
  if (finishReason === 'length' && !isComplete(reply, asked)) throw cutReply(reply, limits);
  if (text === '' && toolCalls.length === 0 && images.length === 0)
    throw new LlmCallFailure('api_error', 'The LLM gave an empty answer.', { kind: 'passing', usage });
}

/** JSON that ends at the limit may be whole, and probabilities are asked for with room for the first tokens only. */
function isComplete({ text, toolCalls }: ModelReply, { request, serviceType }: DelegatedRequest): boolean {
  if (request['logprobs'] === true && text !== '') return true;
  if (toolCalls.length > 0 || (request.schema === undefined && serviceType !== 'generateObject'))
    return false;
  try {
    const value = parseJson(text);
    return isRecord(value) || Array.isArray(value);
  } catch {
    return false;
  }
}

/** More tokens are allowed when a reply that was cut is asked for again: by this factor, within the agent's own cap. */
const MORE_ROOM = 2;

function cutReply(reply: ModelReply, limits: TokenLimits): LlmCallFailure {
  const { rawFinishReason } = reply;
  const usage = usageOf(reply);
  const { limit, cap, mayAllow } = limits;
  // Anthropic's: no limit of this request ended it, and more tokens would not help.
  if (rawFinishReason === 'model_context_window_exceeded') {
    const message =
      "The LLM's answer was cut off at the end of the model's context window, which holds the request and the answer.";
    return new LlmCallFailure('answer_cut', message, { usage });
  }
  const written = limit ?? usage?.outputTokens;
  const more = written === undefined ? undefined : Math.min(written * MORE_ROOM, cap ?? Infinity);
  const at =
    limit === undefined
      ? `the endpoint's own limit${written === undefined ? '' : `, after ${written} tokens`}`
      : limit === cap
        ? `${limit} tokens, the limit that is set for the agent (maxTokens)`
        : `its limit of ${limit} tokens (maxTokens)`;
  return new LlmCallFailure('answer_cut', `The LLM's answer was cut off at ${at}.`, {
    usage,
    moreTokens: more !== undefined && more > (written ?? 0) && mayAllow(more) ? more : undefined,
  });
}
