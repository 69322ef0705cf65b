import { BatonError } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';

/** Headers that a request has once: of several, Node takes the first, and a proxy in front may take another. */
const SINGLE = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
]);

/**
 * Refuses a request with several Host (RFC 9112, section 3.2) or Authorization headers, or with a Transfer-Encoding other than
 * `chunked`: Node would take the body as it is after the last coding. Errors: `invalid_arguments`.
 */
export function refuseAmbiguousHeads(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { rawHeaders, headers } = request.raw;
    const seen = new Set<string>();
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = SINGLE.get(String(rawHeaders[at]).toLowerCase());
      if (name === undefined) continue;
      if (seen.has(name))
        return done(invalidHead(name, 'a request has one such header, and this one has several.'));
      seen.add(name);
    }
    const coding = headers['transfer-encoding'];
    if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
      return done(
        invalidHead(
          'Transfer-Encoding',
          `'${coding.slice(0, 100)}' is not taken. Send the body as it is, in chunks ("chunked") or with a Content-Length.`,
        ),
      );
    done();
  });
}

function invalidHead(field: string, problem: string): BatonError {
  return new BatonError('invalid_arguments', `${field}: ${problem}`, { field });
}
