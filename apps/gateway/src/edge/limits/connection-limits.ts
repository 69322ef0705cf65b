import type { FastifyInstance } from 'fastify';
import type { BufferBudget } from './buffer-budget.ts';
import { Connections } from './connections.ts';
import type { EdgeLimits } from './edge-limits.ts';
import type { EdgeMetrics } from './edge-metrics.ts';

/** Bounds connections before anything else of a request is looked at. Errors: `limit_connections`. */
export function limitConnections(
  app: FastifyInstance,
  { edgeLimits, trustProxy }: { readonly edgeLimits: EdgeLimits; readonly trustProxy: boolean },
  metrics: EdgeMetrics,
): Connections {
  const connections = new Connections(app.server, edgeLimits, trustProxy, metrics);
  app.addHook('onClose', async () => connections.stop());
  app.addHook('onRequest', (request, reply, done) => {
    if (connections.begin(request.raw, reply.raw)) done();
    else reply.hijack();
  });
  return connections;
}

/** Refuses requests of a key that holds too much already. Errors: `limit_connections`, `limit_buffers`. */
export function limitConnectionsAndBuffersPerKey(
  app: FastifyInstance,
  connections: Connections,
  bufferBudget: BufferBudget,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { credential } = request;
    if (credential?.kind === 'key') {
      connections.attachKey(request.raw.socket, credential.key.text);
      bufferBudget.requireRoom(credential.key.text);
    }
    done();
  });
}
