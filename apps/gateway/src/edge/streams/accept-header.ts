import { BatonError } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';

export function acceptsStream({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/event-stream');
}

/** curl and the like accept anything, and say so by a wildcard or by nothing. */
export function acceptsAnything({ headers }: FastifyRequest): boolean {
  return /^(\*\/\*)?$/.test(headers.accept ?? '');
}

/** Errors: `not_acceptable` for who takes no stream. */
export function requireStreamAccepted(request: FastifyRequest): void {
  if (acceptsAnything(request) || acceptsStream(request)) return;
  const { method, routeOptions } = request;
  throw new BatonError(
    'not_acceptable',
    `${method} ${routeOptions.url} is a stream: send "Accept: text/event-stream".`,
  );
}
