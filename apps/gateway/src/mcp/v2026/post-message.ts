import { isRecord, MAX_WAIT_MS } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admitCaller, ANY_MCP_CALLER } from '../../call/access.ts';
import type { Call } from '../../call/call.ts';
import { clientTraits } from '../../call/client-traits.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Dispatched } from '../dispatch/reply-to-post.ts';
import { sendingLogMessages } from './log-messages.ts';
import type { Message2026 } from './read-request.ts';
import { REVISION_OF_2026 } from './revision.ts';

/** A message of 2026-07-28. Undefined where the reply was sent. */
export async function dispatchMessageOf2026(
  message: Message2026,
  { body }: FastifyRequest,
  reply: FastifyReply,
  caller: Call,
  dispatcher: Dispatcher,
): Promise<Dispatched | undefined> {
  if (message.kind !== 'request') {
    // A refused key is reported before anything that is wrong with the message.
    await admitCaller(caller, ANY_MCP_CALLER);
    if (message.kind === 'notification') await reply.status(202).send();
    else await reply.status(message.status).send({ jsonrpc: '2.0', id: idOf(body), error: message.error });
    return undefined;
  }
  const { request, clientName, logLevel, multiRoundTrip } = message;
  const call = {
    ...caller,
    client: clientTraits(REVISION_OF_2026, clientName),
    multiRoundTrip,
    // Clients give up after some ten repeats of a call: each waits as long as it may.
    ...(multiRoundTrip.takesSampling && { waitMs: MAX_WAIT_MS }),
  };
  return {
    call,
    requests: [request],
    respond: (notify) => dispatcher.send(request, sendingLogMessages(call, logLevel, notify), notify),
  };
}

/** JSON-RPC 2.0, section 5: null where the id could not be told. */
function idOf(body: unknown): string | number | null {
  const id = isRecord(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
