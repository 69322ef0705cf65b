import {
  type DelegatedCall,
  type ElicitRequest,
  parseInteractionId,
  type SamplingRequest,
  toElicitRequest,
  toSamplingRequest,
} from '@baton/protocol';
import type { InteractionRecord, PendingInteraction } from '@baton/store';
import type { Call } from '../../call/call.ts';
import type { SupportedRequests } from '../../call/dialect-choice.ts';

/** A request to a client: for its model, for the person who uses it, or for what it knows itself. */
export type ClientRequest =
  | { readonly method: 'sampling/createMessage'; readonly params: SamplingRequest }
  | { readonly method: 'elicitation/create'; readonly params: ElicitRequest }
  | { readonly method: 'roots/list'; readonly params: Readonly<Record<string, never>> };

/** What a client is asked, with the interaction whose request it is. */
export interface ShownRequest {
  readonly interactionId: string;
  readonly number: number;
  /** That of the interaction's request, or its id. */
  readonly key: string;
  readonly request: ClientRequest;
}

/** So many characters of requests are shown at once, and one request of any length; what is left is shown once these are answered. */
const MAX_SHOWN_LENGTH = 1_048_576;

const SUPPORTS_NOTHING: SupportedRequests = {
  sampling: false,
  samplingTools: false,
  elicitation: false,
  roots: false,
};

/**
 * Pending interactions as requests to a call's client. Undefined where one of them is none that this client takes.
 * Errors: those of reading the requests.
 */
export async function toClientRequests(
  pending: readonly PendingInteraction[],
  call: Call,
): Promise<readonly ShownRequest[] | undefined> {
  if (pending.length === 0) return [];
  const { supports = SUPPORTS_NOTHING } = call.dialectChoice ?? {};
  if (!supports.sampling && !supports.elicitation && !supports.roots) return undefined;
  const shown: ShownRequest[] = [];
  const keys = new Set<string>();
  let length = 0;
  for (const { interactionId, request: asked } of await readWhole(pending, call)) {
    const request = toClientRequest(asked.call, supports);
    if (request === undefined) return undefined;
    // One alone is shown whatever its length.
    if (pending.length > 1) length += JSON.stringify(request.params).length;
    if (shown.length > 0 && length > MAX_SHOWN_LENGTH) break;
    const { key: named = interactionId } = asked.call;
    const key = keys.has(named) ? interactionId : named;
    keys.add(key);
    shown.push({ interactionId, number: parseInteractionId(interactionId)?.number ?? 0, key, request });
  }
  return shown;
}

/** By their keys, as results of MCP 2026-07-28 have them. */
export function inputRequestsOf(shown: readonly ShownRequest[]): Readonly<Record<string, ClientRequest>> {
  return Object.fromEntries(shown.map(({ key, request }) => [key, request]));
}

/** Undefined for a request that the client does not take. */
function toClientRequest(call: DelegatedCall, supports: SupportedRequests): ClientRequest | undefined {
  if (call.method !== undefined) return supports.roots ? { method: call.method, params: {} } : undefined;
  if (call.role === 'person')
    return supports.elicitation ? { method: 'elicitation/create', params: toElicitRequest(call) } : undefined;
  const params = supports.sampling ? toSamplingRequest(call, supports.samplingTools) : undefined;
  return params && { method: 'sampling/createMessage', params };
}

type WholeInteraction = Pick<InteractionRecord, 'interactionId' | 'request'>;

/** Of several requests of a task that was read, only the first is whole. */
async function readWhole(
  pending: readonly PendingInteraction[],
  { tenant, caller }: Call,
): Promise<readonly WholeInteraction[]> {
  const missing = pending
    .filter(({ request }) => !isWhole(request))
    .map(({ interactionId }) => interactionId);
  const read = missing.length === 0 ? [] : await tenant.queries.interactions(caller.heldIdentity(), missing);
  const byId = new Map(read.map((one) => [one.interactionId, one.request]));
  return pending.flatMap(({ interactionId, request }) => {
    const whole = isWhole(request) ? request : byId.get(interactionId);
    return whole === undefined ? [] : [{ interactionId, request: whole }];
  });
}

function isWhole(request: PendingInteraction['request']): request is InteractionRecord['request'] {
  return 'request' in request.call;
}
