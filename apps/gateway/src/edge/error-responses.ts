import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { BatonError, toBatonError } from '@baton/protocol';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CrossOriginHeaders } from './allowed-origins.ts';
import { logEventsOf, REQUEST_ID_HEADER, requestTarget } from './event-log.ts';
import { MalformedBodyError } from './read-body.ts';
import { publicUrl } from './public-url.ts';
import type { ResponseHeaders } from './response-headers.ts';
import { pathOf } from './route-methods.ts';

/**
 * The funnel of HTTP: whatever is thrown leaves as `application/problem+json` (RFC 9457) with its code, or, under
 * /mcp, as a JSON-RPC error. Baton's own bugs are logged whole and leave as `internal`.
 */
export function installErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler(async (thrown: FastifyError, request, reply) => {
    const error = fromFastifyError(thrown, request);
    // A client that hangs up while its reply is written is no fault of Baton's.
    if (thrown.code === 'ERR_STREAM_PREMATURE_CLOSE') request.log.debug('the client hung up');
    else if (error.code === 'internal') request.log.error({ err: thrown }, 'request failed');
    return sendErrorResponse(request, reply, error);
  });
  app.setNotFoundHandler(async (request, reply) => sendErrorResponse(request, reply, noRouteError(request)));
}

/** Why no route takes a request: its path has other methods (`method_not_allowed`), or there is no such path (`not_found`). */
export function noRouteError(request: FastifyRequest): BatonError {
  const { method, url, server } = request;
  const methods = server.methodsAt(url);
  // A route that takes the method found nothing at the path, such as a file of the console.
  if (methods.length > 0 && !methods.includes(method)) return methodNotAllowedError(request, methods);
  return new BatonError(
    'not_found',
    `There is nothing at ${method} ${url.slice(0, 200)}. GET / says what is where.`,
  );
}

/** `method_not_allowed` of an address that takes `methods`, which the header `Allow` names (RFC 9110, section 15.5.6). */
export function methodNotAllowedError(
  { method, url }: FastifyRequest,
  methods: readonly string[],
  problem = `${pathOf(url).slice(0, 200)} takes ${new Intl.ListFormat('en').format(methods)}, not ${method}.`,
): BatonError {
  return new BatonError('method_not_allowed', problem, { allow: methods.join(', ') });
}

/** What the router refuses before a route is found, such as a path that cannot be decoded. */
export function sendRoutingError(
  thrown: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  responseHeaders: ResponseHeaders,
  crossOriginHeaders: CrossOriginHeaders,
): void {
  reply.headers(responseHeaders).header(REQUEST_ID_HEADER, request.id).headers(crossOriginHeaders(request));
  void sendErrorResponse(request, reply, fromFastifyError(thrown));
}

/** What Node refuses before there is a request, such as a head that cannot be parsed. */
export function sendHttpParseError(
  thrown: { code?: string },
  socket: Socket,
  responseHeaders: ResponseHeaders,
): void {
  if (socket.destroyed || thrown.code === 'ECONNRESET') return;
  const tooLarge = thrown.code === 'HPE_HEADER_OVERFLOW' || thrown.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW';
  const error = tooLarge
    ? new BatonError('limit_size', 'The head of the request is larger than this server takes.')
    : new BatonError('invalid_arguments', `This is no HTTP request that can be read (${thrown.code}).`);
  const status = tooLarge ? 431 : thrown.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify(problemOf(error, status));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}`),
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(thrown as Error);
}

/** For clients that show no body: what they sent, and that no log-in would mend it. */
const KEY_REFUSED = 'The API key is unknown, mistyped, revoked or expired; Baton has no OAuth log-in';

/** Headers that a refusal carries: how to authenticate, which methods there are, when to come back. */
export function errorHeaders(error: BatonError, request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.code === 'unauthenticated') {
    // RFC 6750, section 3.1: no error code for a request that shows no credential.
    const isMissing = error.details['missing'] === true;
    const invalid = isMissing ? '' : 'error="invalid_token", ';
    const described = isMissing ? '' : `, error_description="${KEY_REFUSED}"`;
    headers['www-authenticate'] =
      `Bearer realm="baton", ${invalid}resource_metadata="${metadataUrl(request)}"${described}`;
  }
  if (error.code === 'insufficient_scope') {
    headers['www-authenticate'] =
      `Bearer realm="baton", error="insufficient_scope", scope="${String(error.details['scope'])}", ` +
      `resource_metadata="${metadataUrl(request)}"`;
  }
  if (error.code === 'method_not_allowed') headers['allow'] = String(error.details['allow']);
  if (error.row.repeat) {
    headers['retry-after'] = String(Math.ceil(Number(error.details['retryAfterMs'] ?? 1_000) / 1_000));
  }
  return headers;
}

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;

export async function sendErrorResponse(request: FastifyRequest, reply: FastifyReply, error: BatonError) {
  const { code: refusal } = error;
  // Who hangs up within its body is refused nothing.
  const isGone = request.raw.destroyed && !request.raw.complete;
  if (!isGone)
    logEventsOf(
      request,
      reply,
      request.restCaller ?? undefined,
    )('refused', { ...requestTarget(request), code: refusal });
  await request.server.refusalCosts.charge(request, reply, error);
  const { http, rpc } = error.row;
  reply.status(http).headers(errorHeaders(error, request));
  if (request.url.startsWith('/mcp')) {
    const code = error instanceof MalformedBodyError ? PARSE_ERROR : rpc;
    return reply.send({
      jsonrpc: '2.0',
      id: null,
      error: { code, message: error.message, data: error.toWire() },
    });
  }
  return reply.type('application/problem+json').send(problemOf(error));
}

/** An error as REST tells it (RFC 9457). */
export function problemOf(error: BatonError, status: number = error.row.http) {
  const { code, message, details } = error;
  return { ...details, type: 'about:blank', title: STATUS_CODES[status], status, detail: message, code };
}

/** Fastify's own refusals (a body that is too large, a content type that the request's route does not take) under Baton's names. */
export function fromFastifyError(thrown: FastifyError, request?: FastifyRequest): BatonError {
  if (thrown instanceof BatonError) return thrown;
  if (thrown.validation)
    return new BatonError('invalid_arguments', thrown.message, { field: fieldOf(thrown) });
  if (thrown.statusCode === 413)
    return new BatonError('limit_size', 'The body is larger than this server takes.');
  if (thrown.statusCode === 415) {
    const takesYaml = request?.server.hasContentTypeParser('application/yaml') ?? false;
    return new BatonError(
      'unsupported_media_type',
      takesYaml
        ? 'The body must be JSON or YAML: send "Content-Type: application/json" or "application/yaml".'
        : 'The body must be JSON: send "Content-Type: application/json".',
    );
  }
  if (thrown.statusCode !== undefined && thrown.statusCode >= 400 && thrown.statusCode < 500) {
    return new BatonError('invalid_arguments', thrown.message.slice(0, 200));
  }
  return toBatonError(thrown);
}

function fieldOf(thrown: FastifyError): string {
  const path = thrown.validation?.[0]?.instancePath ?? '';
  return path.slice(1).replaceAll('/', '.');
}

function metadataUrl(request: FastifyRequest): string {
  return `${publicUrl(request)}/.well-known/oauth-protected-resource/mcp`;
}
