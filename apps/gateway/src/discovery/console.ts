import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * The page holds a key and shows what tenants and models wrote: it runs its own script, calls its own server, and stands in no frame.
 * The icon of a page is data within it.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Files other than the page are named by their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** `GET /console/`: the operators' page, built files that anyone may read. What it shows it asks of REST, with its user's key. */
export async function serveConsole(app: FastifyInstance, folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  await app.register(staticFiles, { root: folder, serve: false, preCompressed: true, cacheControl: false });
  const options = { config: { isPublic: true, anyOrigin: true } };
  app.get('/console', options, (_request, reply) => reply.redirect('/console/', 308));
  app.get('/console/', options, (_request, reply) =>
    reply.headers(HEADERS).header('cache-control', 'no-cache').sendFile('index.html'),
  );
  app.get<{ Params: { file: string } }>('/console/:file', options, ({ params }, reply) =>
    reply.headers(HEADERS).header('cache-control', FOR_EVER).sendFile(params.file),
  );
}
