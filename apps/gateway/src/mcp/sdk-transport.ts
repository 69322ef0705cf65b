import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../call/call.ts';
import { countStreamParts } from '../edge/limits/unread-replies.ts';
import { sseComment } from '../edge/streams/sse.ts';
import { JSON_WITHIN_MS } from '../edge/streams/json-or-sse-reply.ts';
import { type Refusal, RefusedMessages } from './refused-messages.ts';
import { CLIENT_CLOSED } from '../call/inflight-waits.ts';
import { acceptedReplies } from '../edge/streams/accept-header.ts';
import { wrapCallInAuthInfo } from '../json-rpc/call-in-auth-info.ts';

/** SSE comments while a stream is silent: proxies cut silent streams near 125 s. */
const KEEP_ALIVE_MS = 10_000;

/** Shows each message that the SDK sends before it is sent. */
class ObservedTransport extends WebStandardStreamableHTTPServerTransport {
  private readonly observe: (message: JSONRPCMessage) => void;

  constructor(observe: (message: JSONRPCMessage) => void, enableJsonResponse: boolean) {
    super({ keepAliveMs: KEEP_ALIVE_MS, enableJsonResponse });
    this.observe = observe;
  }

  override async send(...[message, options]: Parameters<WebStandardStreamableHTTPServerTransport['send']>) {
    this.observe(message);
    return super.send(message, options);
  }
}

/**
 * Handles a request with the SDK's own transport, stateless: a server and a transport for one request. For everything that
 * the fast path does not take: batches, notifications, and malformed requests. A response that is a stream begins with the first
 * thing that is no refusal; where nothing else came, it is what the request is refused with.
 */
export async function handleWithSdkTransport(
  createServer: () => Server,
  request: FastifyRequest,
  { raw }: FastifyReply,
  call: Call,
): Promise<Response | Refusal> {
  const server = createServer();
  const refused = new RefusedMessages(request.body);
  const transport = new ObservedTransport(
    (message) => refused.add(message),
    !acceptedReplies(request).stream,
  );
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  // A drain lets a request be answered.
  const signal = call.signal();
  const end = () => {
    if (signal.reason === CLIENT_CLOSED) void server.close();
  };
  signal.addEventListener('abort', end);
  const web = new Request(`http://baton${request.url}`, {
    method: 'POST',
    headers: headersOf(request),
  });
  const response = await transport.handleRequest(web, {
    parsedBody: request.body,
    authInfo: wrapCallInAuthInfo(call),
  });
  if (signal.aborted) end();
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  // JSON comes when all is decided.
  const refusal = await withinMs(refused.decision, isStream ? JSON_WITHIN_MS : 0);
  if (!isStream) return refusal ?? response;
  if (refusal !== undefined) {
    void server.close();
    return refusal;
  }
  const { status, headers } = response;
  // Whether the connection stays is between the client and Node; the SDK would keep it, whatever the client asked.
  headers.delete('connection');
  return new Response(withOpeningComment(countStreamParts(request, raw, response.body)), { status, headers });
}

/** Undefined where it takes longer. */
async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const timeOut = new AbortController();
  try {
    return await Promise.race([promise, delay(ms, undefined, { signal: timeOut.signal })]);
  } finally {
    timeOut.abort();
  }
}

/** A stream's headers leave with its first bytes: a comment, so that its client knows at once that it is open. */
function withOpeningComment(parts: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const begun = new TransformStream<Uint8Array, Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode(sseComment('open'))),
  });
  return parts.pipeThrough(begun);
}

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  // What its client takes is known; the SDK would have it take both.
  headers.set('accept', 'application/json, text/event-stream');
  return headers;
}
