import { logEventsOf } from '../edge/event-log.ts';
import { BatonError, MAX_BODY_BYTES, toBatonError } from '@baton/protocol';
import { InitializeRequestSchema, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Access,
  admitCaller,
  ANY_MCP_CALLER,
  edgeAdmittedAccess,
  admitCallerUnlessAdmitted,
  MCP_OR_AGENT_SCOPE,
  scriptAdmittedAnswerAccess,
  scriptAdmittedAccess,
} from '../call/access.ts';
import { clientTraits } from '../call/client-traits.ts';
import type { Call, Services } from '../call/call.ts';
import { isAdmissionRefusal } from '../call/error-classification.ts';
import { keyOf } from '../edge/credential.ts';
import { acceptsStream, requireReplyAccepted, requireStreamAccepted } from '../edge/streams/accept-header.ts';
import { errorHeaders, fromFastifyError, sendErrorResponse } from '../edge/error-responses.ts';
import {
  HOW_TO_OPEN_A_SESSION,
  negotiatedVersion,
  type Session,
  sessionRequiredError,
} from '../sessions/session.ts';
import type { SessionTokens } from '../sessions/session-tokens.ts';
import type { StreamRegistry } from '../subscriptions/stream-registry.ts';
import { keyHolder } from '../subscriptions/stream-holder.ts';
import { sessionSource } from '../subscriptions/stream-source.ts';
import { enforceBatchAndFieldLimits } from './batch-and-field-limits.ts';
import { readParamsLeniently } from './lenient-params.ts';
import { requestedTools } from '../tool-listing/requested-tools.ts';
import { declaresTasks, removeUndeclaredTaskParam } from './task-param.ts';
import { Dispatcher } from './dispatcher.ts';
import { invalidRequestResponse, isInitialize } from './invalid-request.ts';
import type { McpServerFactory } from './mcp-server.ts';
import { asksForProgress, parsePlainRequest } from './plain-request.ts';
import { protocolVersionOf, requireKnownProtocolVersion, SESSION_ID_HEADER } from './request-headers.ts';
import type { Notification } from '../subscriptions/notification-writer.ts';
import { sseMessage } from '../edge/streams/sse.ts';
import { type Notify, sendJsonOrSse } from '../edge/streams/json-or-sse-reply.ts';

/** `/mcp`: a request meets its tenant here, and is dispatched to the MCP server. */
export async function mcpRoutes(
  app: FastifyInstance,
  options: {
    services: Services;
    servers: McpServerFactory;
    sessions: SessionTokens;
    streams: StreamRegistry;
  },
): Promise<void> {
  const { services, servers, sessions, streams } = options;
  const dispatcher = await Dispatcher.open(servers);
  app.decorateRequest('mcpCall', null);
  const callOf = (request: FastifyRequest, reply: FastifyReply): Call =>
    (request.mcpCall ??= createCall(services, request, reply));

  // A refused key is reported before anything that is wrong with the body.
  app.setErrorHandler(async (thrown: FastifyError, request, reply) => {
    let error = fromFastifyError(thrown);
    if (error.code === 'internal') request.log.error({ err: thrown }, 'request failed');
    if (request.credential?.kind === 'key' && !isAdmissionRefusal(error)) {
      await admitCallerUnlessAdmitted(callOf(request, reply), ANY_MCP_CALLER).catch((refused: unknown) => {
        error = toBatonError(refused);
      });
    }
    return sendErrorResponse(request, reply, error);
  });

  const post = {
    bodyLimit: MAX_BODY_BYTES,
    config: { access: keyAccess(scriptAdmittedAccess(MCP_OR_AGENT_SCOPE)) },
  };
  app.post('/mcp', post, async (request, reply) => {
    const unbound = callOf(request, reply);
    const accepted = requireReplyAccepted(request);
    readParamsLeniently(request.body);
    enforceBatchAndFieldLimits(request.body);
    const session = await sessionOf(request, unbound);
    const revision = session?.protocolVersion ?? protocolVersionOf(request);
    removeUndeclaredTaskParam(request.body, revision);
    const selections = requestedTools(request, servers.isTool);
    const call = {
      ...unbound,
      client: clientTraits(revision, session?.client.name),
      selections,
      ...(session === undefined ? {} : { sessionId: session.id }),
    };
    const plain = parsePlainRequest(request);
    const dispatched =
      plain === undefined
        ? await dispatchOther(request, reply, call)
        : { requests: [plain], respond: (notify?: Notify) => dispatcher.send(plain, call, notify) };
    if (dispatched === undefined) return reply;
    const wantsProgress = accepted.stream && dispatched.requests.some(asksForProgress);
    return sendJsonOrSse(
      reply,
      dispatched.respond,
      {
        acceptsStream: acceptsStream(request) || !accepted.json || wantsProgress,
        mustStream: ({ httpError }) => !accepted.json && httpError === undefined,
        isAdmitted: () => call.caller.admitted,
      },
      ({ json, httpError }) => {
        reply.header('content-type', JSON_UTF8);
        return httpError === undefined ? reply.send(json) : sendRefusal(request, reply, httpError, json);
      },
    );
  });

  const ofSession = { config: { access: keyAccess(edgeAdmittedAccess(MCP_OR_AGENT_SCOPE)) } };
  app.get('/mcp', ofSession, async (request, reply) => {
    const call = callOf(request, reply);
    const session = await sessionOf(request, call);
    if (session === undefined) {
      // To clients a 405 says that there is no stream, and they go on without; any other refusal is an error to them
      // (MCP 2025-11-25, basic/transports, Listening for Messages from the Server).
      reply.header('allow', 'POST');
      throw new BatonError(
        'method_not_allowed',
        `Only a session has a notification stream. ${HOW_TO_OPEN_A_SESSION}`,
      );
    }
    requireKnownProtocolVersion(request);
    requireStreamAccepted(request);
    const identity = await admitCaller(call, ANY_MCP_CALLER);
    const holder = keyHolder(call.tenant, keyOf(request), MCP_OR_AGENT_SCOPE);
    const by = { call, holder, identity };
    return streams.open(sessionSource(session, call.tenant), by, reply, messageOf);
  });

  app.delete('/mcp', ofSession, async (request, reply) => {
    const call = callOf(request, reply);
    const session = await sessionOf(request, call);
    if (session === undefined) throw sessionRequiredError('There is no session to end.');
    requireKnownProtocolVersion(request);
    await admitCaller(call, ANY_MCP_CALLER);
    await call.tenant.endedSessions.endSession(session.id);
    return reply.send();
  });

  app.route({
    method: ['HEAD', 'PUT', 'PATCH', 'OPTIONS'],
    url: '/mcp',
    config: { isPublic: true },
    // Public, so no body is read.
    onRequest: refuseMethod,
    handler: refuseMethod,
  });

  /**
   * What is no plain request: batches, `initialize`, notifications, responses, and what is malformed. Undefined where the reply was sent:
   * nothing of a process waits for a client's notifications and responses.
   */
  async function dispatchOther(request: FastifyRequest, reply: FastifyReply, call: Call) {
    const { body } = request;
    // Each message of a batch counts as the request that it is.
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    const [first, ...others] = messages.map(messageAccess);
    const { principal } = await admitCaller(call, first ?? ANY_MCP_CALLER);
    for (const access of others) await admitCaller(createCall(services, request, reply, NO_BODY), access);
    if (!isInitialize(body)) requireKnownProtocolVersion(request);
    const invalid = invalidRequestResponse(body);
    if (invalid) {
      await reply.status(400).send(invalid);
      return undefined;
    }
    const requests = messages.filter((message) => isJSONRPCRequest(message));
    const [single] = requests;
    if (single === undefined) {
      await reply.status(202).send();
      return undefined;
    }
    if (Array.isArray(body))
      return { requests, respond: (notify?: Notify) => dispatcher.sendBatch(requests, call, notify) };
    if (!isInitialize(body))
      return { requests, respond: (notify?: Notify) => dispatcher.send(single, call, notify) };
    const initialize = InitializeRequestSchema.parse(body).params;
    const sealed = await sessions.issue(keyOf(request), principal, initialize, call.tenant);
    if (sealed !== undefined) reply.header(SESSION_ID_HEADER, sealed);
    const tasks = declaresTasks(negotiatedVersion(initialize.protocolVersion));
    return { requests, respond: async () => dispatcher.initialize(single, call, tasks) };
  }

  /** Verifies the session that a request shows, if it shows one; `initialize` may still show an old one. */
  async function sessionOf(request: FastifyRequest, call: Call): Promise<Session | undefined> {
    const header = request.headers[SESSION_ID_HEADER];
    if (header === undefined || isInitialize(request.body)) return undefined;
    const [key, sealed] = [keyOf(request), String(header)];
    const verified = sessions.findVerified(sealed, key);
    if (verified !== undefined) return verified;
    // A refused key is reported before anything that is wrong with the session.
    const { principal } = await admitCaller(call, messageAccess(request.body));
    return sessions.verify(sealed, key, principal, call.tenant);
  }
}

/** A notification as JSON-RPC. */
function messageOf(notification: Notification): string {
  return sseMessage(JSON.stringify({ jsonrpc: '2.0', ...notification }));
}

/** Sends the response of a call that was refused with an HTTP status of its own. */
async function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: BatonError, json: string) {
  await request.server.refusalCosts.charge(request, reply, error);
  return reply.status(error.row.http).headers(errorHeaders(error, request)).send(json);
}

/** Of the others of a batch: the first is charged for the body. */
const NO_BODY = { bodyBytes: 0, bodyWeight: 0 };

/** A call of the request's caller. */
function createCall(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { bodyBytes, bodyWeight }: Pick<FastifyRequest, 'bodyBytes' | 'bodyWeight'> = request,
): Call {
  const key = keyOf(request);
  const tenant = services.store.tenant(key.tenant);
  const caller = tenant.caller(key, bodyBytes, bodyWeight);
  caller.traceparent = request.trace?.traceparent ?? '';
  return {
    services,
    tenant,
    caller,
    signal: services.inflightWaits.signalFor(reply),
    logEvent: logEventsOf(request, reply, caller),
    trace: request.trace ?? undefined,
  };
}

function keyAccess(access: Access) {
  return { kind: 'key', ...access } as const;
}

/** What a message is admitted as before its method or tool is known to be one. */
function messageAccess(message: unknown): Access {
  const answerTo = answeredInteraction(message);
  return answerTo === undefined ? ANY_MCP_CALLER : scriptAdmittedAnswerAccess(MCP_OR_AGENT_SCOPE, answerTo);
}

/** The interaction that a message answers; undefined for any other message. */
function answeredInteraction(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; arguments?: { interactionId?: unknown; agentLLMResponse?: unknown } };
  };
  if (method !== 'tools/call' || params?.name !== 'agent_llm') return;
  const { interactionId, agentLLMResponse } = params.arguments ?? {};
  return agentLLMResponse !== undefined && typeof interactionId === 'string' ? interactionId : undefined;
}

async function refuseMethod({ method }: FastifyRequest, reply: FastifyReply): Promise<never> {
  reply.header('allow', 'GET, POST, DELETE');
  throw new BatonError('method_not_allowed', `/mcp takes GET, POST and DELETE, not ${method}.`);
}

const JSON_UTF8 = 'application/json; charset=utf-8';

declare module 'fastify' {
  interface FastifyRequest {
    mcpCall: Call | null;
  }
}
