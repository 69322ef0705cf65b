import { subscribe } from 'node:diagnostics_channel';
import { createLogger, startGateway } from '@baton/gateway';
import { DEFAULT_EDGE_LIMITS } from '@baton/gateway/configuration';
import type { Operation } from '@baton/operations';
import { Store } from '@baton/store';
import { startWorker } from '@baton/worker';
import type { FastifyInstance } from 'fastify';
import { OPERATOR_TOKEN, SECRET } from '../../harness/in-process-deployment.ts';
import { buggyOperations, addBuggyRoutes } from './planted-bugs.ts';

/**
 * One process of the environment: `<gateway|worker> <redis> <name> [planted]`. It reports its URL and the routes that
 * its router registered over IPC. `planted` adds the bugs that the suite must find.
 */
const [role = '', redisUrl = '', name = role, planted] = process.argv.slice(2);
const added: ReadonlyMap<string, Operation> = planted === 'planted' ? buggyOperations : new Map();
const routes: string[] = [];

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ method, url }) => {
    // Each GET has a HEAD of its own, but for streams.
    for (const verb of [method].flat()) if (verb !== 'HEAD') routes.push(`${verb} ${url}`);
  });
  if (planted === 'planted') addBuggyRoutes(fastify);
});

// The parent has exited.
process.once('disconnect', () => process.exit());

const store = await Store.open({ url: redisUrl, secret: SECRET, replica: name });
const log = createLogger('warn', { role, name });

if (role === 'worker') {
  await startWorker({ drainMs: 1_000, providerCalls: 100, egressAllow: ['127.0.0.0/8'] }, store, log, added);
  process.send?.({ ready: true });
} else {
  const configuration = {
    host: '127.0.0.1',
    port: 0,
    replica: name,
    operatorToken: OPERATOR_TOKEN,
    publicUrl: undefined,
    trustProxy: false,
    allowedOrigins: ['https://app.example'],
    metricsOpen: false,
    unreadyMs: 0,
    drainMs: 1_000,
    // The suite's requests come from one address, and most of them are refused.
    edgeLimits: {
      ...DEFAULT_EDGE_LIMITS,
      refusedBytesPerSecond: 1_000_000_000,
      wrongCredentialsPerSecond: 1_000_000,
    },
  };
  const { url } = await startGateway(configuration, store, log, added);
  process.send?.({ ready: true, url, routes });
}
