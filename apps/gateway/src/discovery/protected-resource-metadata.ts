import type { FastifyInstance } from 'fastify';
import { publicUrl } from '../edge/public-url.ts';

/**
 * What a refused client is pointed to (RFC 9728): how this resource wants its credential. There is no authorization
 * server to name: keys come from the operator.
 */
export function serveProtectedResourceMetadata(app: FastifyInstance): void {
  for (const path of ['', '/mcp']) {
    app.get(
      `/.well-known/oauth-protected-resource${path}`,
      { config: { isPublic: true } },
      async (request) => ({
        resource: `${publicUrl(request)}/mcp`,
        resource_name: 'Baton',
        bearer_methods_supported: ['header'],
        scopes_supported: ['mcp', 'agent', 'admin'],
        resource_documentation: `${publicUrl(request)}/`,
      }),
    );
  }
}
