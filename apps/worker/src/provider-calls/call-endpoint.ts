import {
  type DelegatedRequest,
  answerWith,
  createModelFactory,
  LlmCallFailure,
  toLlmCallFailure,
} from '@baton/agent/llm';
import {
  type AgentAnswer,
  DEFAULT_PROVIDER_TIMEOUT_MS,
  exceedsDepth,
  MAX_STORED_JSON_DEPTH,
} from '@baton/protocol';
import type { EndpointRoute } from '@baton/store';
import type { BegunCall } from '@baton/store/shards';
import { type AddressGuard, RefusedAddressError } from './address-guard.ts';
import { createGuardedFetch, RefusedRedirectError } from './guarded-fetch.ts';

// The warnings are about requests, which nobody who runs a worker has written.
globalThis.AI_SDK_LOG_WARNINGS = false;

const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Makes the call of an interaction to the endpoint that its role's route names now, and gives its answer or the error that it
 * came to: `rate_limit_error` and the like are asked again by the task's program, any other ends this route. The interaction's id
 * is the idempotency key, the same however often the call is made. Errors: the reason of `signal`, when that ends it.
 */
export async function callEndpoint(
  call: BegunCall,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  try {
    const { route, apiKey } = await endpointOf(call);
    const data = await askModel(call, route, apiKey, guard, signal);
    return { status: 'success', data: data as object };
  } catch (thrown) {
    signal.throwIfAborted();
    const { type, message, retryAfterMs } = failureOf(thrown);
    return errorAnswer(type, message, retryAfterMs);
  }
}

/** The endpoint as it is configured now, whatever it was when the request was opened. */
async function endpointOf({ asked, roles }: BegunCall) {
  const role = await roles.cachedRole(asked.role);
  const route = role?.routes[Math.min(asked.route ?? 0, role.routes.length - 1)];
  if (route === undefined || route.kind === 'agent')
    throw new LlmCallFailure('not_found_error', `The role '${asked.role}' names no LLM endpoint any more.`);
  const opened = roles.openKey(asked.role, route);
  if (opened === 'unreadable') {
    const message = `The stored key of the role '${asked.role}' cannot be read: the secret of the deployment has changed. Put the role with its key again.`;
    throw new LlmCallFailure('authentication_error', message);
  }
  return { route, apiKey: opened.key };
}

async function askModel(
  call: BegunCall,
  route: EndpointRoute,
  apiKey: string | undefined,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<unknown> {
  const { timeoutMs = DEFAULT_PROVIDER_TIMEOUT_MS } = route;
  const timeout = AbortSignal.timeout(timeoutMs);
  const guarded = createGuardedFetch(guard);
  try {
    const model = createModelFactory({
      provider: route.kind,
      endpoint: route.baseUrl,
      apiKey,
      headers: { 'idempotency-key': call.interactionId },
      fetch: guarded.fetch,
    });
    const answer = answerWith(model(route.modelId), { probesEndpoint: false });
    const data = await answer(requestOf(call, route.modelId), { signal: AbortSignal.any([signal, timeout]) });
    if (exceedsDepth(MAX_STORED_JSON_DEPTH, data))
      throw new LlmCallFailure('api_error', `The answer nests deeper than ${MAX_STORED_JSON_DEPTH} levels.`);
    return data;
  } catch (thrown) {
    if (!timeout.aborted || signal.aborted) throw thrown;
    throw new LlmCallFailure('timeout_error', `The LLM endpoint did not answer within ${timeoutMs} ms.`);
  } finally {
    await guarded.close();
  }
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

function failureOf(thrown: unknown): LlmCallFailure {
  const refused = refusalIn(thrown);
  if (refused === undefined) return toLlmCallFailure(thrown);
  const type = refused instanceof RefusedAddressError ? 'address_refused' : 'redirect_refused';
  return new LlmCallFailure(type, refused.message);
}

/** A refusal of our own, under whatever it was wrapped in. */
function refusalIn(thrown: unknown): Error | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof RefusedAddressError || error instanceof RefusedRedirectError) return error;
  }
  return undefined;
}

export function errorAnswer(type: string, message: string, retryAfterMs?: number): AgentAnswer {
  const details = { type, message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() };
  return {
    status: 'error',
    errorDetails: retryAfterMs === undefined ? details : { ...details, retryAfterMs },
  };
}
