import { callbackify } from 'node:util';
import type { Store } from '@baton/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from './problem.ts';

/** What a request may bring along unseen: nearly all are smaller, and pay nothing for what is here. */
const UNCHECKED_BYTES = 65_536;

/**
 * Refuses what would be refused in any case before its body is read, where that is large: nobody without a valid key
 * has this process hold more than `SMALL_BYTES` per request. It costs a look-up of its own; the admission, which
 * counts, stays with the script of the call.
 */
export function preflightLargeBody(app: FastifyInstance, store: Store): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const bytes = announcedBytes(request);
    if (bytes !== undefined && bytes <= UNCHECKED_BYTES) return done();
    const { credential } = request;
    if (request.is404) return done(notFound(request));
    if (credential?.kind !== 'key') return done();
    const caller = store.tenant(credential.key.tenant).caller(credential.key, bytes ?? 0);
    callbackify(() => caller.dryRunAdmission())(done);
  });
}

/** Undefined for a body that does not say how large it is. */
function announcedBytes({ headers }: FastifyRequest): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}
