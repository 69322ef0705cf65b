import { BatonError, DEFAULT_WAIT_MS, isRecord, MAX_WAIT_MS } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admitCaller, ANY_MCP_CALLER } from '../../call/access.ts';
import type { Dialect } from '../../call/dialect-choice.ts';
import type { Call } from '../../call/call.ts';
import { type Dispatcher, logRefusal } from '../dispatch/dispatcher.ts';
import type { Dispatched } from '../dispatch/send-dispatched.ts';
import { LISTEN, listen } from './listen/listen.ts';
import { sendWithLogMessages } from '../dispatch/log-messages.ts';
import type { StreamRegistry } from '../../subscriptions/stream-registry.ts';
import type { Message2026 } from './request/read-request.ts';
import { RpcError } from '../../json-rpc/rpc-error.ts';
import { ERROR_STATUSES } from './request/revision.ts';

/** What messages of 2026-07-28 are answered by. */
export interface DispatchersOf2026 {
  readonly streams: StreamRegistry;
  readonly dispatcher: Dispatcher;
}

/** A message of 2026-07-28. Undefined where the reply was sent. */
export async function dispatchMessageOf2026(
  message: Message2026,
  { body }: FastifyRequest,
  reply: FastifyReply,
  caller: Call,
  { dispatcher, streams }: DispatchersOf2026,
): Promise<Dispatched | undefined> {
  if (message.kind !== 'request') {
    // A refused key is reported before anything that is wrong with the message.
    await admitCaller(caller, ANY_MCP_CALLER);
    if (message.kind === 'notification') await reply.status(202).send();
    else await reply.status(message.status).send({ jsonrpc: '2.0', id: idOf(body), error: message.error });
    return undefined;
  }
  const {
    request,
    envelope: { clientName, client, logLevel, takesTasks, dialectChoice },
  } = message;
  const { requestState, inputResponses } = request.params ?? {};
  caller.caller.client = clientName;
  const call = {
    ...caller,
    client,
    of2026: { takesTasks, requestState, inputResponses },
    dialectChoice,
    waitMs: WAIT_MS[dialectChoice.dialect],
  };
  if (request.method === LISTEN) {
    try {
      await listen(request, call, reply, streams);
    } catch (thrown) {
      const refused = refusalOfRequest(thrown);
      if (refused === undefined) throw thrown;
      logRefusal(request, refused.error, call);
      await reply
        .status(refused.status)
        .type('application/json; charset=utf-8')
        .send(refused.error.toResponse(request.id));
    }
    return undefined;
  }
  return {
    call,
    requests: [request],
    respond: (notify) =>
      sendWithLogMessages(request, call, { level: logLevel, notify }, (told) =>
        dispatcher.send(request, told, notify),
      ),
  };
}

/**
 * How long a call waits for the work that it starts, in milliseconds: clients give up after some ten repeats of a call, and a task is told of
 * at once.
 */
const WAIT_MS: Readonly<Record<Dialect, number>> = {
  tool: DEFAULT_WAIT_MS,
  sampling: DEFAULT_WAIT_MS,
  input_required: MAX_WAIT_MS,
  task: 0,
};

/** What is wrong with a request itself, and the HTTP status of that; undefined for what concerns its caller or the server. */
function refusalOfRequest(thrown: unknown): { error: RpcError; status: number } | undefined {
  if (thrown instanceof RpcError) return { error: thrown, status: ERROR_STATUSES.get(thrown.code) ?? 200 };
  if (!(thrown instanceof BatonError) || thrown.row.rpc !== INVALID_PARAMS) return undefined;
  return { error: RpcError.of(thrown), status: thrown.row.http };
}

const INVALID_PARAMS = -32602;

/** JSON-RPC 2.0, section 5: null where the id could not be told. */
function idOf(body: unknown): string | number | null {
  const id = isRecord(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
