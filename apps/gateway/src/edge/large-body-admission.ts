import { callbackify } from 'node:util';
import type { Store } from '@baton/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routeNotFoundError } from './error-responses.ts';

/** Smaller bodies are read without a preflight, which nearly all are. */
const UNCHECKED_BYTES = 65_536;

/**
 * Refuses a large body before it is read if its caller would be refused anyway: without a valid key a request makes this
 * process hold at most `UNCHECKED_BYTES`. It costs a call to Redis and no rate token; the request is still to be admitted.
 */
export function refuseUnadmittedLargeBodies(app: FastifyInstance, store: Store): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const bytes = announcedBytes(request);
    if (bytes !== undefined && bytes <= UNCHECKED_BYTES) return done();
    const { credential } = request;
    if (request.is404) return done(routeNotFoundError(request));
    if (credential?.kind !== 'key') return done();
    const caller = store.tenant(credential.key.tenant).caller(credential.key, bytes ?? 0);
    callbackify(() => caller.dryRunAdmission())(done);
  });
}

/** Undefined for a body that does not say how large it is. */
function announcedBytes({ headers }: FastifyRequest): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}
