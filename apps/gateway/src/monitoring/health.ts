import { type Store, unreadyReason } from '@baton/store';
import type { FastifyInstance } from 'fastify';

/**
 * `/healthz`: the process runs. `/readyz`: it takes work, so Redis answers, persists, and the process does not drain; it names
 * the queues that an operator has paused, which does not make a replica unready.
 */
export function serveHealth(app: FastifyInstance, store: Store, draining: () => boolean): void {
  const options = { config: { isPublic: true }, logLevel: 'silent' } as const;
  app.get('/healthz', options, async () => ({ status: 'ok' }));
  app.get('/readyz', options, async (_request, reply) => {
    if (draining()) return reply.status(503).send({ status: 'draining' });
    try {
      await store.ping();
      const paused = await store.pausedQueues();
      return { status: 'ready', ...(paused.length > 0 ? { paused } : {}) };
    } catch (error) {
      return reply.status(503).send({ status: unreadyReason(error) });
    }
  });
}
