import { isRecord, jsonInstruction, type LlmRequest, parseJson, tokenLimitOf } from '@baton/protocol';
import { jsonSchema, type LanguageModel, type LanguageModelUsage, Output } from 'ai';
import type { AnswerFunction } from '../api/answer-function.ts';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { jsonFormatOf, readParameter } from '../api/model-parameters.ts';
import { classifyLlmError } from './classify-llm-error.ts';
import { convertMessages } from './convert-messages.ts';
import { CallNaming, convertToolChoice, convertTools, toolsOfTurns } from './convert-tools.ts';
import { modelIdOf, probeEndpoint } from './probe-endpoint.ts';
import { type ModelTools, modelToolsOf } from './model-tools.ts';
import { type OptionalParameter, RefusedParameters, type OptionalParameters } from './refused-parameters.ts';
import {
  type CallSettings,
  generateReply,
  type ModelReply,
  requireWholeReply,
  streamReply,
} from './model-reply.ts';
import { logprobOptions, OPENAI_PROVIDER, RESPONSES_API } from './reply-metadata.ts';
import { RequestMedia } from './request-media.ts';
import { SecretRedaction } from '../redaction/secret-redaction.ts';

export interface AnswerWithOptions {
  /** Tokens of one answer at most, whatever its request asks for; without it, what the request asks for. */
  readonly maxTokens?: number | undefined;
  /** Hosts whose https addresses of pictures may reach the LLM's endpoint; none by default. */
  readonly imageHosts?: readonly string[];
  /** The endpoint's key: it is taken out of answers, streamed words and errors, whatever echoes it. */
  readonly secret?: string | undefined;
  /** HTTP headers of the calls for one request, beside those of the model's provider; none by default. */
  readonly headersOf?: (request: DelegatedRequest) => Readonly<Record<string, string>>;
}

/**
 * Answers requests by a model of the `ai` package, or by the one that a function picks for each request. Text comes
 * back as `text`, JSON as `object`, calls of the request's `tools` as `toolCalls`, with `model`, the `usage` that the endpoint
 * gave, `logprobs` where the request asks for them and an OpenAI-compatible endpoint gives them, and `unsupportedHints`: those of
 * the request that the endpoint has no way to take, or refused.
 * A failure is thrown as it comes; `probe` asks the models of Baton's own operations something that no caller wrote.
 */
export function answerWith(
  model: LanguageModel | ((request: DelegatedRequest) => LanguageModel),
  { maxTokens, imageHosts = [], secret, headersOf = () => ({}) }: AnswerWithOptions = {},
): AnswerFunction {
  const redaction = new SecretRedaction(secret);
  const refused = new RefusedParameters();
  const media = new RequestMedia(imageHosts);
  const modelFor = typeof model === 'function' ? model : () => model;
  // What the owner of the agent set is never left out.
  const kept: readonly OptionalParameter[] = maxTokens === undefined ? [] : ['maxTokens'];
  const probe = (signal: AbortSignal) => probeEndpoint(modelFor, signal);
  const answer: AnswerFunction = async (asked, { signal, onText = () => {} }) => {
    const chosen = modelFor(asked);
    const modelId = modelIdOf(chosen);
    const parameters = refused.ofRequest(asked.principal, modelId, kept);
    const headers = headersOf(asked);
    for (;;) {
      const modelTools = modelToolsOf(asked, chosen, (hint) => parameters.send(hint));
      const bounds = { parameters, media, maxTokens, abortSignal: signal, modelTools };
      const settings = { ...callSettings(asked, chosen, bounds), headers };
      try {
        const said =
          asked.serviceType === 'streamText'
            ? await streamReply(settings, onText)
            : await generateReply(settings);
        parameters.remember();
        const mayAllow = (tokens: number) => parameters.maySend('maxTokens', tokens);
        requireWholeReply(said, asked, { limit: settings.maxOutputTokens, cap: maxTokens, mayAllow });
        return toAnswerData(said, asked, modelId, modelTools);
      } catch (thrown) {
        if (signal.aborted || !parameters.leaveOut(thrown)) throw classifyLlmError(thrown);
      }
    }
  };
  return redaction.answers(Object.assign(answer, { probe }));
}

interface CallBounds {
  readonly parameters: OptionalParameters;
  readonly media: RequestMedia;
  readonly maxTokens: number | undefined;
  readonly abortSignal: AbortSignal;
  readonly modelTools: ModelTools;
}

/** Each is named here: nothing else of a request reaches the endpoint, no header, address or credential. */
function callSettings(
  { request: given, serviceType }: DelegatedRequest,
  model: LanguageModel,
  { parameters, media, abortSignal, modelTools, ...cap }: CallBounds,
): CallSettings {
  const format = jsonFormatOf(given);
  const request: LlmRequest = { ...format, ...given };
  const ownTools = convertTools(request['tools']);
  const naming = new CallNaming({ offered: Object.keys(ownTools), hasPlainIds: isAnthropic(model) });
  const { system, messages } = convertMessages(request.messages, media, naming);
  const wantsJson = request.schema !== undefined || serviceType === 'generateObject' || format !== undefined;
  const instructions = [system, wantsJson ? jsonInstruction(request) : ''].filter((text) => text !== '');
  const hasTools = Object.keys(ownTools).length > 0;
  const past = !hasTools && isAnthropic(model) ? toolsOfTurns(messages) : {};
  const tools = { ...modelTools.tools, ...ownTools, ...past };
  const toolChoice =
    Object.keys(past).length > 0 && Object.keys(modelTools.tools).length === 0
      ? 'none'
      : convertToolChoice(readParameter(request, 'toolChoice'));
  const maxTokens = lower(tokenLimitOf(request), cap.maxTokens);
  const stop = readParameter(request, 'stop');
  return {
    model,
    messages,
    abortSignal,
    maxRetries: 0,
    // Never fetched by the agent: a link may name an address of its own network.
    experimental_download: async (links) => links.map(() => null),
    ...(instructions.length === 0 ? {} : { system: instructions.join('\n\n') }),
    ...(Object.keys(tools).length > 0 ? { tools, ...(toolChoice === undefined ? {} : { toolChoice }) } : {}),
    ...(wantsJson && !hasTools && supportsJsonMode(request, model) ? jsonOutput(request, parameters) : {}),
    ...(maxTokens !== undefined && parameters.send('maxTokens', maxTokens)
      ? { maxOutputTokens: maxTokens }
      : {}),
    ...numbersOf(request, parameters),
    providerOptions: {
      ...modelTools.options,
      // Schemas of callers seldom keep to what strict ones may hold.
      [OPENAI_PROVIDER]: {
        strictJsonSchema: false,
        ...(isResponses(model)
          ? // Nothing is kept at the endpoint: Baton sends whole dialogs.
            { store: false }
          : request['logprobs'] === true && parameters.send('logprobs')
            ? logprobOptions(request)
            : {}),
        ...openAiOptions(request, { parameters, hasTools, isResponses: isResponses(model) }),
        ...modelTools.options[OPENAI_PROVIDER],
      },
    },
    ...(stop !== undefined && parameters.send('stop') ? { stopSequences: [stop].flat().map(String) } : {}),
  };
}

const NUMBERS = ['temperature', 'topP', 'topK', 'presencePenalty', 'frequencyPenalty', 'seed'] as const;

function numbersOf(request: LlmRequest, parameters: OptionalParameters) {
  const sent = NUMBERS.flatMap((name) => {
    const value = readParameter(request, name);
    return typeof value === 'number' && parameters.send(name) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(sent);
}

/** What OpenAI's APIs take beside the settings that all have. They refuse `parallel_tool_calls` in a request without tools. */
function openAiOptions(
  request: LlmRequest,
  on: { readonly parameters: OptionalParameters; readonly hasTools: boolean; readonly isResponses: boolean },
) {
  const { parameters, hasTools } = on;
  const effort = readParameter(request, 'reasoningEffort');
  const isParallel = readParameter(request, 'parallelToolCalls');
  // The package passes an option of chat completions that it does not know on as it is named.
  const parallelName = on.isResponses ? 'parallelToolCalls' : 'parallel_tool_calls';
  return {
    ...(typeof effort === 'string' && parameters.send('reasoningEffort') ? { reasoningEffort: effort } : {}),
    ...(typeof isParallel === 'boolean' && hasTools && parameters.send('parallelToolCalls')
      ? { [parallelName]: isParallel }
      : {}),
  };
}

/** The endpoint is to hold the model to the schema, or else to JSON, as far as it does either. */
function jsonOutput({ schema }: LlmRequest, parameters: OptionalParameters) {
  if (schema !== undefined && parameters.send('jsonSchema'))
    return { output: Output.object({ schema: jsonSchema(schema) }) };
  return parameters.send('json') ? { output: Output.json() } : {};
}

function isAnthropic(model: LanguageModel): boolean {
  return typeof model !== 'string' && model.provider.startsWith('anthropic');
}

function isResponses(model: LanguageModel): boolean {
  return typeof model !== 'string' && model.provider === RESPONSES_API;
}

function lower(asked: number | undefined, cap: number | undefined): number | undefined {
  return asked === undefined || cap === undefined ? (asked ?? cap) : Math.min(asked, cap);
}

/** Endpoints that hold a model to JSON hold it to an object; Anthropic's does it by a schema of its own dialect only. */
function supportsJsonMode({ schema }: LlmRequest, model: LanguageModel): boolean {
  if (isAnthropic(model)) return false;
  return schema === undefined || schema['type'] === 'object' || isRecord(schema['properties']);
}

function toAnswerData(
  { text, toolCalls, images, model, usage, logprobs }: ModelReply,
  asked: DelegatedRequest,
  modelId: string,
  { unsupported }: ModelTools,
) {
  const value = asked.serviceType === 'generateObject' ? readJson(text) : undefined;
  return {
    ...(value === undefined ? { text } : { object: value }),
    ...(toolCalls.length === 0
      ? {}
      : {
          toolCalls: toolCalls.map(({ toolCallId, toolName, input }) => ({
            id: toolCallId,
            name: toolName,
            arguments: input,
          })),
        }),
    ...(images.length === 0 ? {} : { content: images }),
    model: model ?? modelId,
    ...usageFields(usage),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(unsupported.length === 0 ? {} : { unsupportedHints: unsupported }),
  };
}

/** What the endpoint counted; nothing where it counted nothing. */
function usageFields({ inputTokens, outputTokens }: Partial<LanguageModelUsage> = {}) {
  if (inputTokens === undefined && outputTokens === undefined) return {};
  return {
    usage: {
      ...(inputTokens === undefined ? {} : { inputTokens }),
      ...(outputTokens === undefined ? {} : { outputTokens }),
    },
  };
}

/** A text that is JSON as it stands; undefined for any other, which Baton reads by its schema. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
