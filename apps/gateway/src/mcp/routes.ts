import {
  BatonError,
  type ErrorCode,
  isRecord,
  type KeyParts,
  MAX_BODY_BYTES,
  toBatonError,
} from '@baton/protocol';
import {
  InitializeRequestSchema,
  type JSONRPCRequest,
  RELATED_TASK_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call, Services } from '../call/call.ts';
import { credential } from '../edge/credential.ts';
import { fromFastifyError, errorHeaders, sendProblem } from '../edge/problem.ts';
import { type Session, sessionRequired, HOW_TO_OPEN_A_SESSION } from '../sessions/session.ts';
import { SessionCache } from '../sessions/sessions.ts';
import { StreamRegistry } from '../subscriptions/stream-registry.ts';
import { invalidRequestResponse, isInitialize } from './invalid-request.ts';
import { removeTaskParam, enforceBatchLimits } from './batch-limits.ts';
import { sendJsonOrSse } from './sse-reply.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { handleWithSdkTransport } from './sdk-transport.ts';
import { FastPath } from './fast-path.ts';
import type { McpServerFactory } from './mcp-server.ts';

/** `/mcp`: a request meets its tenant here and takes one of the two ways to the surface. */
export async function mcpRoutes(
  app: FastifyInstance,
  {
    services,
    servers,
    fastPathEnabled,
  }: { services: Services; servers: McpServerFactory; fastPathEnabled: boolean },
): Promise<void> {
  const fastPath = await FastPath.open(servers);
  const sessions = new SessionCache(services.store);
  const streams = new StreamRegistry(sessions);

  // Whoever shows a dead key hears of that, and not of what is wrong with the body.
  app.setErrorHandler(async (thrown: FastifyError, request, reply) => {
    let error = fromFastifyError(thrown);
    if (error.code === 'internal') request.log.error({ err: thrown }, 'request failed');
    const { credential: shown } = request;
    if (shown?.kind === 'key' && !IS_OF_THE_CALLER.has(error.code)) {
      const caller = services.store.tenant(shown.key.tenant).caller(shown.key, request.bodyBytes);
      await caller.admit(['mcp', 'agent']).catch((refused: unknown) => {
        error = toBatonError(refused);
      });
    }
    return sendProblem(request, reply, error);
  });

  app.post('/mcp', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const call = createCall(services, request, reply);
    enforceBatchLimits(request.body);
    removeTaskParam(request.body);
    if (request.headers[SESSION_ID] !== undefined) await sessionOf(request, call);
    const rpc = fastPathEnabled ? plainRequest(request) : undefined;
    if (rpc === undefined) return sendThroughSdkTransport(request, reply, call);
    const accepts = { stream: (request.headers.accept ?? '').includes('text/event-stream') };
    return sendJsonOrSse(reply, admitted(fastPath.send(rpc, call), rpc, call), accepts, (response) => {
      if (call.refused) reply.status(call.refused.row.http).headers(errorHeaders(call.refused, request));
      return reply.header('content-type', JSON_UTF8).send(response);
    });
  });

  app.get('/mcp', async (request, reply) => {
    const call = createCall(services, request, reply);
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
    refuseUnknownVersion(request);
    refuseWithoutStream(request);
    const identity = await call.caller.admit(['mcp', 'agent']);
    return streams.open(session, { call, key: keyOf(request), identity }, reply);
  });

  app.delete('/mcp', async (request, reply) => {
    const call = createCall(services, request, reply);
    const session = await sessionOf(request, call);
    if (session === undefined) throw sessionRequired('There is no session to end.');
    refuseUnknownVersion(request);
    await call.caller.admit(['mcp', 'agent']);
    await call.tenant.sessions.end(session.id);
    return reply.send();
  });

  app.route({
    method: ['HEAD', 'PUT', 'PATCH', 'OPTIONS'],
    url: '/mcp',
    config: { isPublic: true },
    // Anyone may come here: nobody's body is read.
    onRequest: refuseMethod,
    handler: refuseMethod,
  });

  async function sendThroughSdkTransport(request: FastifyRequest, reply: FastifyReply, call: Call) {
    // A stream has begun before a handler could refuse: the caller is admitted before it begins.
    // Each message of a batch counts as the request that it is, answers as answers.
    const messages: unknown[] = Array.isArray(request.body) ? request.body : [request.body];
    const [first, ...more] = messages.map((message) => (isAnswer(message) ? 'answer' : 'call'));
    const { principal } = await call.caller.admit(['mcp', 'agent'], first);
    for (const purpose of more)
      await createCall(services, request, reply).caller.admit(['mcp', 'agent'], purpose);
    const broken = invalidRequestResponse(request.body);
    if (broken) return reply.status(400).send(broken);
    const sealed = isInitialize(request.body)
      ? await sessions.issue(
          keyOf(request),
          principal,
          InitializeRequestSchema.parse(request.body).params,
          call,
        )
      : undefined;
    const response = await handleWithSdkTransport(() => servers.createServer(), request, call);
    if (response.ok && sealed !== undefined) reply.header(SESSION_ID, sealed);
    return reply.send(response);
  }

  /** Finds the session that a request shows, if it shows one; whoever starts anew may still show an old one. */
  async function sessionOf(request: FastifyRequest, call: Call): Promise<Session | undefined> {
    const sealed = request.headers[SESSION_ID];
    if (sealed === undefined || isInitialize(request.body)) return undefined;
    const [key, text] = [keyOf(request), String(sealed)];
    const purpose = isAnswer(request.body) ? 'answer' : 'call';
    const session = sessions.verified(text, key) ?? (await sessions.verify(text, key, call, purpose));
    call.session = session;
    return session;
  }
}

async function refuseMethod({ method }: FastifyRequest, reply: FastifyReply): Promise<never> {
  reply.header('allow', 'GET, POST, DELETE');
  throw new BatonError('method_not_allowed', `/mcp takes GET, POST and DELETE, not ${method}.`);
}

/** No reply leaves before the credential was checked, whatever the method. */
async function admitted(pending: Promise<string>, rpc: JSONRPCRequest, call: Call): Promise<string> {
  const response = await pending;
  if (call.caller.admitted || call.refused) return response;
  try {
    await call.caller.admit(['mcp', 'agent']);
    return response;
  } catch (thrown) {
    call.refused = toBatonError(thrown);
    return RpcError.of(call.refused).toResponse(rpc.id);
  }
}

function createCall(services: Services, request: FastifyRequest, reply: FastifyReply): Call {
  const key = keyOf(request);
  const tenant = services.store.tenant(key.tenant);
  return {
    services,
    tenant,
    caller: tenant.caller(key, request.bodyBytes),
    signal: services.inflightWaits.signalFor(reply),
  };
}

function keyOf(request: FastifyRequest): KeyParts {
  const shown = credential(request);
  if (shown.kind === 'key') return shown.key;
  throw new BatonError(
    'insufficient_scope',
    'The operator token manages tenants; MCP needs an API key of a tenant.',
    {
      scope: 'mcp',
    },
  );
}

/**
 * A single well-formed request that wants no stream of its own: no progress, an Accept header as the transport's
 * rules have it, a protocol version that is known or left out. Everything else is for the SDK's transport to judge.
 */
function plainRequest({ body, headers }: FastifyRequest): JSONRPCRequest | undefined {
  const rpc = body as Partial<JSONRPCRequest> | null | undefined;
  if (rpc?.jsonrpc !== '2.0' || typeof rpc.method !== 'string') return undefined;
  if (rpc.method === 'initialize') return undefined;
  if (typeof rpc.id !== 'string' && !Number.isSafeInteger(rpc.id)) return undefined;
  if (
    rpc.params !== undefined &&
    (typeof rpc.params !== 'object' || rpc.params === null || Array.isArray(rpc.params))
  )
    return undefined;
  if (Object.keys(rpc).some((key) => !RPC_KEYS.has(key))) return undefined;
  const meta = rpc.params?._meta;
  // Of _meta, the SDK reads these two: a wrong one would be no request to it, and never be answered on the short way.
  if (meta !== undefined && (!isRecord(meta) || 'progressToken' in meta || RELATED_TASK_META_KEY in meta))
    return undefined;

  const { accept = '*/*', 'mcp-protocol-version': version } = headers;
  if (accept !== '*/*' && !(accept.includes('application/json') && accept.includes('text/event-stream')))
    return undefined;
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return undefined;
  return rpc as JSONRPCRequest;
}

/** Errors: `not_acceptable` for who takes no stream. */
function refuseWithoutStream({ headers }: FastifyRequest): void {
  const { accept = '' } = headers;
  if (/^(\*\/\*)?$/.test(accept) || accept.includes('text/event-stream')) return;
  throw new BatonError('not_acceptable', 'GET /mcp is a stream: send "Accept: text/event-stream".');
}

/** MCP 2025-11-25, basic/transports, Protocol Version Header. Errors: `invalid_arguments`. */
function refuseUnknownVersion({ headers }: FastifyRequest): void {
  const { 'mcp-protocol-version': version } = headers;
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return;
  throw new BatonError(
    'invalid_arguments',
    `Mcp-Protocol-Version: '${String(version).slice(0, 100)}' is not spoken here, but ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
    { field: 'Mcp-Protocol-Version' },
  );
}

/** True for a post of an answer, which is the last thing to be limited in rate. */
function isAnswer(message: unknown): boolean {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; arguments?: { agentLLMResponse?: unknown } };
  };
  return (
    method === 'tools/call' &&
    params?.name === 'agent_llm' &&
    params.arguments?.agentLLMResponse !== undefined
  );
}

const IS_OF_THE_CALLER: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
  'limit_rate',
  'unavailable',
  'session_not_found',
]);

/** MCP 2025-11-25, basic/transports, Session Management. */
const SESSION_ID = 'mcp-session-id';

const JSON_UTF8 = 'application/json; charset=utf-8';

const RPC_KEYS = new Set(['jsonrpc', 'id', 'method', 'params']);
