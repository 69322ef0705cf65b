import { type DelegatedCall, type LlmRequest, tokenLimitOf, withTokenLimit } from '@baton/protocol';
import type { Roles, StoredRole, Wait } from '@baton/store';

type LlmWait = Extract<Wait, { kind: 'llm' | 'provider' }>;

/**
 * Waits as they are opened: each LLM request goes where the route of its role says, to the calling agent or to an endpoint that a
 * worker calls, with that route's model and within the role's bounds. Programs know of none of it, and a replay never comes here.
 * It reads no more than a tenant's roles, once a second. Errors: `unavailable`.
 */
export async function routeWaits(roles: Roles, waits: readonly Wait[]): Promise<readonly Wait[]> {
  if (!waits.some(({ kind }) => kind === 'llm')) return waits;
  const routed: Wait[] = [];
  for (const wait of waits) routed.push(await routeWait(roles, wait));
  return routed;
}

async function routeWait(roles: Roles, wait: Wait): Promise<Wait> {
  if (wait.kind !== 'llm') return wait;
  const { call } = wait.request;
  if (call.role === 'person') return wait;
  return routeCall(wait.path, call, await roles.cachedRole(call.role));
}

/** The model that is named closest to the request: by its agent or prompt, by its caller, by the route; null where none names one. */
function routeCall(path: string, call: DelegatedCall, role: StoredRole | undefined): LlmWait {
  // A role may have lost routes since the program counted them.
  const route = role?.routes[Math.min(call.route ?? 0, role.routes.length - 1)];
  const request: { -readonly [K in keyof LlmRequest]: LlmRequest[K] } =
    role?.maxTokens === undefined
      ? Object.assign({}, call.request)
      : withTokenLimit(call.request, Math.min(tokenLimitOf(call.request) ?? role.maxTokens, role.maxTokens));
  const isAgent = route === undefined || route.kind === 'agent';
  // An endpoint is paid for with its tenant's key, so a caller chooses no model of it.
  const mayChoose = route?.fixedModel !== true && (isAgent || call.chosenBy === 'definition');
  const chosen = mayChoose ? (call.request.modelId ?? undefined) : undefined;
  request.modelId = chosen ?? route?.modelId ?? null;
  const named = call.chosenBy === undefined ? undefined : call.request.temperature;
  const temperature = named ?? role?.temperature;
  if (temperature !== undefined) request.temperature = temperature;
  const routed: { -readonly [K in keyof DelegatedCall]: DelegatedCall[K] } = Object.assign({}, call, {
    request,
  });
  if (chosen === undefined) delete routed.chosenBy;
  return { kind: isAgent ? 'llm' : 'provider', path, request: { call: routed } };
}
