import { BatonError } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';

/**
 * Where a client looks for an authorization server after a 401, since the metadata of this resource name none: documents first, which
 * are not there, then the endpoints that MCP 2025-03-26 gives a server without documents (Authorization, section 2.3.3).
 */
const DOCUMENTS = ['oauth-authorization-server', 'openid-configuration'].flatMap((name) => [
  `/.well-known/${name}`,
  `/.well-known/${name}/mcp`,
]);
const ENDPOINTS = ['/register', '/authorize', '/token'];

const TEXT =
  'Baton has no OAuth log-in: it takes API keys. The key of this client is missing, mistyped, revoked or expired. Set the header ' +
  '"Authorization: Bearer <API key>" in the client\'s configuration, with a key (bt_...) from whoever runs this server.';

/**
 * Ends a client's search for a log-in with words about its key: the official clients show the `error_description` of an endpoint that
 * refuses to register them (RFC 7591, section 3.2.2). A body is not read.
 */
export function refuseOauth(app: FastifyInstance): void {
  const refuse = async () => {
    throw new BatonError('not_found', TEXT);
  };
  for (const [paths, status] of [
    [DOCUMENTS, 404],
    [ENDPOINTS, 400],
  ] as const) {
    for (const url of paths) {
      app.route({
        method: status === 404 ? ['GET'] : ['GET', 'POST'],
        url,
        config: { isPublic: true },
        onRequest: refuse,
        handler: refuse,
        errorHandler: async (thrown, request, reply) => {
          if (!(thrown instanceof BatonError) || thrown.code !== 'not_found') throw thrown;
          await request.server.refusalCosts.charge(request, reply, thrown);
          return reply.status(status).send({ error: 'access_denied', error_description: thrown.message });
        },
      });
    }
  }
}
