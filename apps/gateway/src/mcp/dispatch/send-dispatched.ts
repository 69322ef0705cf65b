import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { BatonError } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../../call/call.ts';
import { errorHeaders } from '../../edge/error-responses.ts';
import type { AcceptedReplies } from '../../edge/streams/accept-header.ts';
import { type Notify, sendJsonOrSse } from '../../edge/streams/json-or-sse-reply.ts';
import type { DispatchedReply } from './dispatcher.ts';

/** Requests that are under way once `respond` is called. */
export interface Dispatched {
  readonly call: Call;
  readonly requests: readonly JSONRPCRequest[];
  readonly respond: (notify?: Notify) => Promise<DispatchedReply>;
}

/** Replies with the response, as JSON or as a stream. */
export function sendDispatched(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: AcceptedReplies,
  { call, requests, respond }: Dispatched,
): Promise<unknown> {
  const wantsProgress = accepted.stream && requests.some(asksForProgress);
  return sendJsonOrSse(
    reply,
    respond,
    {
      acceptsStream: accepted.namesStream || !accepted.json || wantsProgress,
      mustStream: ({ httpError }) => !accepted.json && httpError === undefined,
      isAdmitted: () => call.caller.admitted,
    },
    ({ json, httpError, status = 200 }) => {
      reply.header('content-type', JSON_UTF8);
      return httpError === undefined
        ? reply.status(status).send(json)
        : sendRefusal(request, reply, httpError, json);
    },
  );
}

/** Sends the response of a call that was refused with an HTTP status of its own. */
async function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: BatonError, json: string) {
  await request.server.refusalCosts.charge(request, reply, error);
  return reply.status(error.row.http).headers(errorHeaders(error, request)).send(json);
}

/** True for a request that its caller wants to be told the progress of (MCP, basic/utilities/progress). */
function asksForProgress({ params }: JSONRPCRequest): boolean {
  return params?._meta?.progressToken !== undefined;
}

const JSON_UTF8 = 'application/json; charset=utf-8';
