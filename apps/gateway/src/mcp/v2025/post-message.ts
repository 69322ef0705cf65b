import {
  InitializeRequestSchema,
  isJSONRPCRequest,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admitCaller, ANY_MCP_CALLER } from '../../call/access.ts';
import type { Call } from '../../call/call.ts';
import { isMcpHttpError } from '../../call/error-classification.ts';
import { RpcError } from '../../json-rpc/rpc-error.ts';
import { toBatonError } from '@baton/protocol';
import { keyOf } from '../../edge/credential.ts';
import type { Notify } from '../../edge/streams/json-or-sse-reply.ts';
import { negotiatedVersion, type Session } from '../../sessions/session.ts';
import { LOG_LEVELS, sendWithLogMessages } from '../dispatch/log-messages.ts';
import { createMcpCall, messageAccess } from '../dispatch/mcp-call.ts';
import type { Dispatched } from '../dispatch/send-dispatched.ts';
import { acceptResponse, readClientResponse } from '../client-requests/client-response.ts';
import { publishCancellations } from './call/cancellable-requests.ts';
import type { DispatchersOf2025 } from './dispatchers.ts';
import { sessionCall, streamedCall } from './call/session-call.ts';
import { invalidRequestResponse, isInitialize, splitBatch } from './invalid-request.ts';
import { parsePlainRequest } from './plain-request.ts';
import { protocolVersionOf, requireKnownProtocolVersion, SESSION_ID_HEADER } from './request-headers.ts';
import { declaresTasks, removeUndeclaredTaskParam } from './call/task-param.ts';

/** A post of the 2025 revisions, of the session that it names. Undefined where the reply was sent. */
export async function dispatchMessageOf2025(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Call,
  session: Session | undefined,
  dispatchers: DispatchersOf2025,
): Promise<Dispatched | undefined> {
  const revision = session?.protocolVersion ?? protocolVersionOf(request);
  removeUndeclaredTaskParam(request.body, revision);
  const call = sessionCall(caller, session, revision);
  const plain = parsePlainRequest(request);
  if (plain === undefined) return dispatchOther(request, reply, call, dispatchers);
  const level = session?.logLevel === undefined ? undefined : LOG_LEVELS[session.logLevel];
  const respond = (notify?: Notify) =>
    sendWithLogMessages(
      plain,
      session && notify ? streamedCall(call, session, notify) : call,
      { level, notify },
      (told) => dispatchers.dispatcher.send(plain, told, notify),
    );
  return { call, requests: [plain], respond };
}

/** What is no plain request: batches, `initialize`, notifications, responses, and what is malformed. Undefined where the reply was sent. */
async function dispatchOther(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  dispatchers: DispatchersOf2025,
): Promise<Dispatched | undefined> {
  const { body } = request;
  const { dispatcher } = dispatchers;
  // Each message of a batch counts as the request that it is.
  const sent: readonly unknown[] = Array.isArray(body) ? body : [body];
  const [first, ...others] = sent.map(messageAccess);
  const { principal } = await admitCaller(call, first ?? ANY_MCP_CALLER);
  for (const access of others)
    await admitCaller(createMcpCall(call.services, request, reply, NO_BODY), access);
  if (!isInitialize(body)) requireKnownProtocolVersion(request);
  const invalid = invalidRequestResponse(body);
  if (invalid) {
    await reply.status(400).send(invalid);
    return undefined;
  }
  const { messages, refusals } = Array.isArray(body) ? splitBatch(body) : { messages: sent, refusals: [] };
  const refused = await acceptResponses(messages, call);
  await publishCancellations(messages, call);
  const requests = messages.filter((message) => isJSONRPCRequest(message));
  const [single] = requests;
  if (single === undefined) {
    if (refusals.length > 0) await reply.status(400).send(refusals);
    else if (refused === undefined) await reply.status(202).send();
    else await reply.status(400).type('application/json; charset=utf-8').send(refused);
    return undefined;
  }
  if (Array.isArray(body))
    return { call, requests, respond: (notify) => dispatcher.sendBatch(requests, refusals, call, notify) };
  if (!isInitialize(body))
    return { call, requests, respond: (notify) => dispatcher.send(single, call, notify) };
  return initialize(single, reply, call, principal, dispatchers);
}

/** Takes the responses among the messages; what the first is refused with that is, as JSON-RPC. Errors: what HTTP has a status for. */
async function acceptResponses(messages: readonly unknown[], call: Call): Promise<string | undefined> {
  let refused: string | undefined;
  for (const response of messages.map(readClientResponse)) {
    if (response === undefined) continue;
    try {
      await acceptResponse(response, call);
    } catch (thrown) {
      const error = toBatonError(thrown);
      if (error !== thrown || isMcpHttpError(error)) throw thrown;
      call.logEvent('refused', { code: error.code, interactionId: response.interactionId });
      refused ??= RpcError.of(error).toResponse(null);
    }
  }
  return refused;
}

async function initialize(
  single: JSONRPCRequest,
  reply: FastifyReply,
  call: Call,
  principal: string,
  { sessions, dispatcher, taskless }: DispatchersOf2025,
): Promise<Dispatched> {
  const { params } = InitializeRequestSchema.parse(single);
  const sealed = await sessions.issue(keyOf(reply.request), principal, params, call.tenant);
  if (sealed !== undefined) reply.header(SESSION_ID_HEADER, sealed);
  const by = declaresTasks(negotiatedVersion(params.protocolVersion)) ? dispatcher : taskless;
  return { call, requests: [single], respond: () => by.send(single, call) };
}

/** Of the others of a batch: the first is charged for the body. */
const NO_BODY = { bodyBytes: 0, bodyWeight: 0 };
