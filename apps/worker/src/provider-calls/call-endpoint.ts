import {
  addEarlierUsage,
  type DelegatedRequest,
  LlmCallFailure,
  toLlmCallFailure,
  usageOf,
} from '@baton/agent/llm';
import {
  type AgentAnswer,
  type AnswerUsage,
  DEFAULT_PROVIDER_TIMEOUT_MS,
  exceedsDepth,
  readAnswerUsage,
  textAsSent,
  MAX_STORED_JSON_DEPTH,
  tokenLimitOf,
  withTokenLimit,
} from '@baton/protocol';
import type { EndpointRoute } from '@baton/store';
import type { BegunCall } from '@baton/store/shards';
import type { AskModel, EndpointModels } from './endpoint-models.ts';
import type { PostedWords } from './posted-words.ts';

// The warnings are about requests, which nobody who runs a worker has written.
globalThis.AI_SDK_LOG_WARNINGS = false;

const MAX_MESSAGE_LENGTH = 2_000;
/** An endpoint that asks to be left alone for longer is not waited for where its role has a further route. */
const MAX_RETRY_AFTER_MS = 10_000;

/**
 * Makes the call of an interaction to the endpoint that its role's route names now, and gives its answer or the error that it
 * came to: `rate_limit_error` and the like are asked again by the task's program, any other ends this route. The interaction's id
 * is the idempotency key, the same however often the call is made. The words of a streamed
 * answer go to `words` as they come. Errors: the reason of `signal`, when that ends it.
 */
export async function callEndpoint(
  call: BegunCall,
  models: EndpointModels,
  signal: AbortSignal,
  words: PostedWords,
): Promise<AgentAnswer> {
  let model: string | undefined;
  let isLastRoute = true;
  try {
    const endpoint = await endpointOf(call);
    model = modelOf(call, endpoint.route);
    isLastRoute = endpoint.isLast;
    const data = await askModel(call, endpoint, { models, signal, onText: words.add });
    const text = textAsSent(data);
    if (!(await words.end(text.ok ? text.value : '')))
      throw new LlmCallFailure('api_error', 'The answer differs from the words that came before its end.', {
        usage: usageOf(data),
      });
    return { status: 'success', data: data as object };
  } catch (thrown) {
    await words.end('');
    signal.throwIfAborted();
    const { type, message, retryAfterMs, usage } = toLlmCallFailure(thrown);
    const nextRoute = !isLastRoute && retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS;
    return errorAnswer(type, message, { retryAfterMs, model, usage, nextRoute });
  }
}

/** The endpoint as it is configured now, whatever it was when the request was opened. */
async function endpointOf({ asked, roles }: BegunCall): Promise<Endpoint> {
  const role = await roles.cachedRole(asked.role);
  const last = (role?.routes.length ?? 1) - 1;
  const at = Math.min(asked.route ?? 0, last);
  const route = role?.routes[at];
  if (route === undefined || route.kind === 'agent')
    throw new LlmCallFailure('not_found_error', `The role '${asked.role}' names no LLM endpoint any more.`);
  const opened = roles.openKey(asked.role, route);
  if (opened === 'unreadable') {
    const message = `The stored key of the role '${asked.role}' cannot be read: the secret of the deployment that sealed it is no longer known. Put the role with its key again.`;
    throw new LlmCallFailure('authentication_error', message);
  }
  // It opens whether that succeeds or not: the next call tries again.
  if (!opened.isCurrent) await roles.reseal(asked.role).catch(() => {});
  return { route, isLast: at === last, apiKey: opened.key, maxTokens: role?.maxTokens };
}

interface Endpoint {
  readonly route: EndpointRoute;
  /** Whether its role has no route after it. */
  readonly isLast: boolean;
  readonly apiKey: string | undefined;
  /** The most that a request of the role may ask for. */
  readonly maxTokens: number | undefined;
}

interface CallBounds {
  readonly models: EndpointModels;
  readonly signal: AbortSignal;
  readonly onText: (piece: string) => void;
}

async function askModel(
  call: BegunCall,
  { route, apiKey, maxTokens }: Endpoint,
  { models, signal, onText }: CallBounds,
): Promise<unknown> {
  const { timeoutMs = DEFAULT_PROVIDER_TIMEOUT_MS } = route;
  const timeout = AbortSignal.timeout(timeoutMs);
  const over = new AbortController();
  const {
    tenant,
    asked: { serviceType },
  } = call;
  let isRead = false;
  try {
    const modelId = modelOf(call, route);
    const ask = models.of({ tenant, route, modelId, apiKey });
    const bounds = { signal: AbortSignal.any([signal, timeout, over.signal]), onText };
    const request = requestOf(call, modelId);
    const data = await models.connections.during(tenant, () => askWithRoom(ask, request, maxTokens, bounds));
    isRead = serviceType !== 'streamText';
    if (exceedsDepth(MAX_STORED_JSON_DEPTH, data))
      throw new LlmCallFailure('api_error', `The answer nests deeper than ${MAX_STORED_JSON_DEPTH} levels.`, {
        usage: usageOf(data),
      });
    return data;
  } catch (thrown) {
    if (!timeout.aborted || signal.aborted) throw thrown;
    throw new LlmCallFailure('timeout_error', `The LLM endpoint did not answer within ${timeoutMs} ms.`, {
      usage: toLlmCallFailure(thrown).usage,
    });
  } finally {
    // A stream's end may come before its reply's: the connection is not kept then.
    if (!isRead) over.abort();
  }
}

/** An answer that its limit cut off is asked for once more with more room, at most `cap`; words of a stream are shown already, and stay. */
async function askWithRoom(
  ask: AskModel,
  request: DelegatedRequest,
  cap: number | undefined,
  bounds: Parameters<AskModel>[1],
): Promise<unknown> {
  try {
    return await ask(request, bounds);
  } catch (thrown) {
    const { moreTokens = 0, usage } = toLlmCallFailure(thrown);
    const maxTokens = Math.min(moreTokens, cap ?? Number.POSITIVE_INFINITY);
    if (maxTokens <= (tokenLimitOf(request.request) ?? 0) || request.serviceType === 'streamText')
      throw thrown;
    const again = ask({ ...request, request: withTokenLimit(request.request, maxTokens) }, bounds);
    return again.then(
      (data) => addEarlierUsage(usage, data),
      (failed) => {
        throw toLlmCallFailure(failed).withEarlierUsage(usage);
      },
    );
  }
}

/** The route may have changed since the request was opened: it is asked for the model that it names now. */
function modelOf({ asked }: BegunCall, route: EndpointRoute): string {
  const chosen =
    asked.chosenBy === undefined || route.fixedModel === true ? undefined : asked.request.modelId;
  return chosen ?? route.modelId;
}

function requestOf(
  { asked, interactionId, taskId, operation, principal }: BegunCall,
  modelId: string,
): DelegatedRequest {
  const { role, serviceType, attempt, summary } = asked;
  const request = { ...asked.request, modelId };
  const whose = { interactionId, taskId, operation, principal, expiresAt: '' };
  return { role, serviceType, request, attempt, summary, ...whose };
}

interface FailedCallFacts {
  readonly retryAfterMs?: number | undefined;
  readonly model?: string | undefined;
  readonly usage?: Partial<Pick<AnswerUsage, 'inputTokens' | 'outputTokens'>> | undefined;
  readonly nextRoute?: boolean;
}

/** `model`: the one that was asked, by which usage counts the call. `usage`: what the endpoint counted for it. `nextRoute`: see `mayRecall`. */
export function errorAnswer(
  type: string,
  message: string,
  { retryAfterMs, model, usage, nextRoute = false }: FailedCallFacts = {},
): AgentAnswer {
  return {
    status: 'error',
    errorDetails: {
      type,
      message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(model !== undefined && { model }),
      ...(usage !== undefined && { usage }),
      ...(nextRoute && { nextRoute }),
    },
  };
}

/** In the place of an answer that the tenant's limit does not let in: it was paid for all the same. */
export function tooLargeAnswer(answer: AgentAnswer, answerJson: string): AgentAnswer {
  const message = `The LLM's answer has ${Buffer.byteLength(answerJson)} bytes, more than the tenant's limit 'answerBytes' allows: ask for a shorter one, or have the limit raised.`;
  const { model, inputTokens, outputTokens } = readAnswerUsage(answer);
  return errorAnswer('answer_too_large', message, { model, usage: { inputTokens, outputTokens } });
}
