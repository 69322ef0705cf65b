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
import { type Takes, takesAny } from '../../call/client-delegation.ts';

/** A request to a client, for its model or for the person who uses it. */
export type ClientRequest =
  | { readonly method: 'sampling/createMessage'; readonly params: SamplingRequest }
  | { readonly method: 'elicitation/create'; readonly params: ElicitRequest };

export interface ClientRequests {
  readonly requests: Readonly<Record<string, ClientRequest>>;
  /** The numbers of their interactions, and those of them that ask a person. */
  readonly shown: readonly number[];
  readonly persons: readonly number[];
}

/** So many characters of requests are shown at once, and one request of any length; what is left is shown once these are answered. */
const MAX_SHOWN_LENGTH = 1_048_576;

/**
 * Pending interactions as requests to a call's client, by their ids. Undefined where one of them is none that this client takes.
 * Errors: those of reading the requests.
 */
export async function toClientRequests(
  pending: readonly PendingInteraction[],
  call: Call,
): Promise<ClientRequests | undefined> {
  const { takes } = call.delegation ?? {};
  if (pending.length > 0 && (takes === undefined || !takesAny(takes))) return undefined;
  const requests: Record<string, ClientRequest> = {};
  const [shown, persons]: [number[], number[]] = [[], []];
  let length = 0;
  for (const { interactionId, request } of await readWhole(pending, call)) {
    const asked = toClientRequest(request.call, takes);
    if (asked === undefined) return undefined;
    length += JSON.stringify(asked.params).length;
    if (shown.length > 0 && length > MAX_SHOWN_LENGTH) break;
    requests[interactionId] = asked;
    const number = parseInteractionId(interactionId)?.number ?? 0;
    shown.push(number);
    if (asked.method === 'elicitation/create') persons.push(number);
  }
  return { requests, shown, persons };
}

/** Undefined for a request that the client does not take. */
function toClientRequest(call: DelegatedCall, takes: Takes | undefined): ClientRequest | undefined {
  if (call.role === 'person')
    return takes?.elicitation === true
      ? { method: 'elicitation/create', params: toElicitRequest(call) }
      : undefined;
  const params = takes?.sampling === true ? toSamplingRequest(call, takes.samplingTools) : undefined;
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
