import { MAX_BODY_BYTES, toBatonError } from '@baton/protocol';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  admitCaller,
  ANY_MCP_CALLER,
  edgeAdmittedAccess,
  admitCallerUnlessAdmitted,
  MCP_OR_AGENT_SCOPE,
  scriptAdmittedAccess,
} from '../call/access.ts';
import type { Access, Call, Services } from '../call/call.ts';
import { isAdmissionRefusal } from '../call/error-classification.ts';
import { keyOf } from '../edge/credential.ts';
import { fromFastifyError, methodNotAllowedError, sendErrorResponse } from '../edge/error-responses.ts';
import { requireReplyAccepted, requireStreamAccepted } from '../edge/streams/accept-header.ts';
import { HOW_TO_OPEN_A_SESSION, type Session, sessionRequiredError } from '../sessions/session.ts';
import type { SessionTokens } from '../sessions/session-tokens.ts';
import { keyHolder } from '../subscriptions/stream-holder.ts';
import type { StreamRegistry } from '../subscriptions/stream-registry.ts';
import { sessionSource } from '../subscriptions/stream-source.ts';
import { requestedTools } from '../tool-listing/requested-tools.ts';
import { enforceBatchAndFieldLimits } from './batch-and-field-limits.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { readParamsLeniently } from './lenient-params.ts';
import { createMcpCall, messageAccess } from './dispatch/mcp-call.ts';
import { sendDispatched } from './dispatch/send-dispatched.ts';
import { isInitialize } from './v2025/invalid-request.ts';
import { dispatchMessageOf2025 } from './v2025/post-message.ts';
import {
  protocolVersionOf,
  requireKnownProtocolVersion,
  SESSION_ID_HEADER,
} from './v2025/request-headers.ts';
import { createDispatchersOf2025 } from './v2025/dispatchers.ts';
import { formatOfSession } from './v2025/session-stream.ts';
import { resumeStream } from './v2025/task-stream/resume-stream.ts';
import { dispatchMessageOf2026 } from './v2026/post-message.ts';
import { readMessageOf2026 } from './v2026/request/read-request.ts';
import { REVISION_OF_2026 } from './v2026/request/revision.ts';
import { RequestStates } from './v2026/input-required/request-states.ts';
import { serveRevisionOf2026 } from './v2026/server.ts';

/** `/mcp`: a request meets its tenant here, and is dispatched to the MCP server. */
export async function mcpRoutes(
  app: FastifyInstance,
  options: {
    services: Services;
    sessions: SessionTokens;
    streams: StreamRegistry;
  },
): Promise<void> {
  const { services, sessions, streams } = options;
  const dispatchersOf2025 = await createDispatchersOf2025(services, sessions);
  const serverOf2026 = await serveRevisionOf2026(new RequestStates(services.store));
  const dispatchersOf2026 = {
    dispatcher: new Dispatcher(serverOf2026),
    streams,
  };
  app.decorateRequest('mcpCall', null);
  const callOf = (request: FastifyRequest, reply: FastifyReply): Call =>
    (request.mcpCall ??= createMcpCall(services, request, reply));

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
    const caller = callOf(request, reply);
    const accepted = requireReplyAccepted(request);
    readParamsLeniently(request.body);
    enforceBatchAndFieldLimits(request.body);
    const message = readMessageOf2026(request);
    const session = message === undefined ? await sessionOf(request, caller) : undefined;
    const call = { ...caller, selections: requestedTools(request, (name) => services.tools.has(name)) };
    const dispatched =
      message === undefined
        ? await dispatchMessageOf2025(request, reply, call, session, dispatchersOf2025)
        : await dispatchMessageOf2026(message, request, reply, call, dispatchersOf2026);
    if (dispatched === undefined) return reply;
    return sendDispatched(request, reply, accepted, dispatchersOf2025.cancellable.track(dispatched, session));
  });

  const ofSession = {
    // HEAD is refused below, with the other methods.
    exposeHeadRoute: false,
    config: { access: keyAccess(edgeAdmittedAccess(MCP_OR_AGENT_SCOPE)) },
  };
  app.get('/mcp', ofSession, async (request, reply) => {
    const call = callOf(request, reply);
    const session = await sessionOf(request, call);
    if (session === undefined) {
      if (isOfNoSession(request)) return refuseMethod(request);
      // To clients a 405 says that there is no stream, and they go on without; any other refusal is an error to them
      // (MCP 2025-11-25, basic/transports, Listening for Messages from the Server).
      const problem = `Only a session has a notification stream. ${HOW_TO_OPEN_A_SESSION}`;
      throw methodNotAllowedError(request, ['POST'], problem);
    }
    requireKnownProtocolVersion(request);
    requireStreamAccepted(request);
    const identity = await admitCaller(call, ANY_MCP_CALLER);
    const lastEventId = request.headers['last-event-id'];
    if (lastEventId !== undefined) {
      const admitted = { ...call, identity };
      const resumed = resumeStream(String(lastEventId), session, admitted, dispatchersOf2025);
      return sendDispatched(request, reply, { json: false, stream: true, namesStream: true }, resumed);
    }
    const holder = keyHolder(call.tenant, keyOf(request), MCP_OR_AGENT_SCOPE);
    const by = { call, holder, identity };
    const format = formatOfSession({ ...call, identity }, session.id);
    return streams.open(sessionSource(session, call.tenant), by, reply, format);
  });

  app.delete('/mcp', ofSession, async (request, reply) => {
    const call = callOf(request, reply);
    const session = await sessionOf(request, call);
    if (session === undefined) {
      if (isOfNoSession(request)) return refuseMethod(request);
      throw sessionRequiredError('There is no session to end.');
    }
    requireKnownProtocolVersion(request);
    await admitCaller(call, ANY_MCP_CALLER);
    await call.tenant.sessions.end(session.id);
    return reply.send();
  });

  app.route({
    method: ['HEAD', 'PUT', 'PATCH', 'OPTIONS'],
    url: '/mcp',
    config: { isPublic: true, refusesMethods: true },
    // Public, so no body is read.
    onRequest: refuseMethod,
    handler: refuseMethod,
  });

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

function keyAccess(access: Access) {
  return { kind: 'key', ...access } as const;
}

/** MCP 2026-07-28, basic/transports/streamable-http: a revision without sessions has POST alone. */
function isOfNoSession(request: FastifyRequest): boolean {
  return (protocolVersionOf(request) ?? '') >= REVISION_OF_2026;
}

async function refuseMethod(request: FastifyRequest): Promise<never> {
  throw methodNotAllowedError(request, isOfNoSession(request) ? ['POST'] : ['GET', 'POST', 'DELETE']);
}

declare module 'fastify' {
  interface FastifyRequest {
    mcpCall: Call | null;
  }
}
