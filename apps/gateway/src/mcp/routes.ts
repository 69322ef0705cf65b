import { BatonError, MAX_BODY_BYTES, toBatonError } from '@baton/protocol';
import { InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
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
import { sessionSource } from '../subscriptions/stream-source.ts';
import { enforceBatchAndFieldLimits } from './batch-and-field-limits.ts';
import { readParamsLeniently } from './lenient-params.ts';
import { requestedTools } from '../tool-listing/requested-tools.ts';
import { declaresTasks, removeUndeclaredTaskParam } from './task-param.ts';
import { SharedMcpServer } from './shared-mcp-server.ts';
import { invalidRequestResponse, isInitialize } from './invalid-request.ts';
import type { McpServerFactory } from './mcp-server.ts';
import { asksForProgress, parseSharedServerRequest } from './shared-server-request.ts';
import { protocolVersionOf, requireKnownProtocolVersion, SESSION_ID_HEADER } from './request-headers.ts';
import { handleWithSdkTransport } from './sdk-transport.ts';
import type { Notification } from '../subscriptions/notification-writer.ts';
import { sseMessage } from '../edge/streams/sse.ts';
import { sendJsonOrSse } from '../edge/streams/json-or-sse-reply.ts';

/** `/mcp`: a request meets its tenant here and takes the fast path or the SDK's transport to the MCP server. */
export async function mcpRoutes(
  app: FastifyInstance,
  options: {
    services: Services;
    servers: McpServerFactory;
    sessions: SessionTokens;
    streams: StreamRegistry;
    fastPathEnabled: boolean;
  },
): Promise<void> {
  const { services, servers, sessions, streams, fastPathEnabled } = options;
  const fastPath = await SharedMcpServer.open(servers);
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
    const rpc = fastPathEnabled ? parseSharedServerRequest(request) : undefined;
    if (rpc === undefined) return sendThroughSdkTransport(request, reply, call);
    return sendJsonOrSse(
      reply,
      (notify) => fastPath.send(rpc, call, notify),
      {
        acceptsStream: acceptsStream(request) || !accepted.json || (asksForProgress(rpc) && accepted.stream),
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
    const by = { call, key: keyOf(request), identity };
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

  async function sendThroughSdkTransport(request: FastifyRequest, reply: FastifyReply, call: Call) {
    // A stream has begun before a handler could refuse: the caller is admitted before it begins. Each message of a batch
    // counts as the request that it is.
    const messages: unknown[] = Array.isArray(request.body) ? request.body : [request.body];
    const [first, ...others] = messages.map(messageAccess);
    const { principal } = await admitCaller(call, first ?? ANY_MCP_CALLER);
    for (const access of others) await admitCaller(createCall(services, request, reply, NO_BODY), access);
    const invalid = invalidRequestResponse(request.body);
    if (invalid) return reply.status(400).send(invalid);
    const initialize = isInitialize(request.body)
      ? InitializeRequestSchema.parse(request.body).params
      : undefined;
    const sealed = initialize && (await sessions.issue(keyOf(request), principal, initialize, call.tenant));
    const tasks = initialize === undefined || declaresTasks(negotiatedVersion(initialize.protocolVersion));
    const response = await handleWithSdkTransport(() => servers.createServer(tasks), request, reply, call);
    if ('error' in response) {
      reply.header('content-type', JSON_UTF8);
      return sendRefusal(request, reply, response.error, response.json);
    }
    if (response.ok && sealed !== undefined) reply.header(SESSION_ID_HEADER, sealed);
    return reply.send(response);
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
  return {
    services,
    tenant,
    caller: tenant.caller(key, bodyBytes, bodyWeight),
    signal: services.inflightWaits.signalFor(reply),
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
