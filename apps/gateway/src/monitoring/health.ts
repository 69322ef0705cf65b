import { readReadiness, type Store } from '@baton/store';
import type { FastifyInstance } from 'fastify';

/** `/healthz`: the process runs. `/readyz`: it takes work, so Redis can be used, and the process does not drain. */
export function serveHealth(app: FastifyInstance, store: Store, draining: () => boolean): void {
  const options = { config: { isPublic: true }, logLevel: 'silent' } as const;
  app.get('/healthz', options, async () => ({ status: 'ok' }));
  app.get('/readyz', options, async (_request, reply) => {
    if (draining()) return reply.status(503).send({ status: 'draining' });
    const { status, body } = await readReadiness(store);
    return reply.status(status).send(body);
  });
}
