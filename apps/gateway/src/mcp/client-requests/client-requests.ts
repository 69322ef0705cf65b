import { parseInteractionId, type SamplingRequest, toSamplingRequest } from '@baton/protocol';
import type { InteractionRecord, PendingInteraction } from '@baton/store';
import type { Call } from '../../call/call.ts';

/** A request to a client. */
interface ClientRequest {
  readonly method: 'sampling/createMessage';
  readonly params: SamplingRequest;
}

export interface ClientRequests {
  readonly requests: Readonly<Record<string, ClientRequest>>;
  /** The numbers of their interactions. */
  readonly shown: readonly number[];
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
  const { takesSampling = false, takesTools = false } = call.delegation ?? {};
  if (!takesSampling && pending.length > 0) return undefined;
  const requests: Record<string, ClientRequest> = {};
  const shown: number[] = [];
  let length = 0;
  for (const { interactionId, request } of await readWhole(pending, call)) {
    const params = request.kind === 'llm' ? toSamplingRequest(request.call, takesTools) : undefined;
    if (params === undefined) return undefined;
    length += JSON.stringify(params).length;
    if (shown.length > 0 && length > MAX_SHOWN_LENGTH) break;
    requests[interactionId] = { method: 'sampling/createMessage', params };
    shown.push(parseInteractionId(interactionId)?.number ?? 0);
  }
  return { requests, shown };
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
  return request.kind !== 'llm' || 'request' in request.call;
}
