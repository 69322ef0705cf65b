import { BATON_VERSION } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { publicUrl } from '../edge/public-url.ts';

/** `GET /`: what this is, what is where, and which page says more; JSON for who accepts it by name, otherwise text. Nothing of a deployment stands in it. */
export function serveRootPage(app: FastifyInstance, { servesMcp }: { readonly servesMcp: boolean }): void {
  app.get('/', { config: { isPublic: true } }, async (request, reply) => {
    const page = describeServer(publicUrl(request), servesMcp);
    reply.header('vary', 'accept');
    return /\bapplication\/(?:\w+\+)?json\b/i.test(request.headers.accept ?? '')
      ? page
      : reply.type('text/plain; charset=utf-8').send(asText(page));
  });
}

function describeServer(url: string, servesMcp: boolean) {
  return {
    name: 'Baton',
    version: BATON_VERSION,
    description:
      'A delegation gateway over MCP: tool calls that need an LLM are parked, and go on when the calling agent has answered.',
    addresses: {
      ...(servesMcp && { mcp: `${url}/mcp` }),
      rest: `${url}/v1`,
      openapi: `${url}/v1/openapi.json`,
      health: `${url}/readyz`,
    },
    credential: 'Authorization: Bearer <API key>',
    pages: {
      start: 'README.md',
      clients: 'docs/clients.md',
      operators: 'docs/operating.md',
      guarantees: 'docs/guarantees.md',
    },
  };
}

function asText({
  name,
  version,
  description,
  addresses,
  credential,
  pages,
}: ReturnType<typeof describeServer>) {
  const rows = (of: object) =>
    Object.entries(of)
      .map(([key, value]) => `  ${key.padEnd(10)}  ${String(value)}\n`)
      .join('');
  return (
    `${name} ${version}\n${description}\n\n${rows({ ...addresses, credential })}\n` +
    `Pages, in the repository of this server:\n${rows(pages)}`
  );
}
