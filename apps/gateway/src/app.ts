import type { Operation } from '@baton/operations';
import { MAX_BODY_BYTES, VERSION } from '@baton/protocol';
import type { Programs } from '@baton/runner';
import { AnswerValidator } from '@baton/runner';
import type { Store } from '@baton/store';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { GatewayConfiguration } from './configuration.ts';
import type { Services } from './call/call.ts';
import { readCredentials } from './edge/credential.ts';
import { parseJsonBodies } from './edge/json-body.ts';
import { preflightLargeBody } from './edge/preflight-large-body.ts';
import { refuseForeignOrigins } from './edge/allowed-origins.ts';
import { sendErrorsAsProblems, answerParseError, answerRoutingError } from './edge/problem.ts';
import { serveHealth } from './monitoring/health.ts';
import { InflightWaits } from './call/inflight-waits.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { createMcpServerFactory } from './mcp/mcp-server.ts';
import { serveProtectedResourceMetadata } from './edge/protected-resource-metadata.ts';
import { serveMetrics } from './monitoring/metrics.ts';
import { restRoutes } from './rest/index.ts';
import { toolCatalog } from './tools/catalog.ts';

/** One replica, composed in the order in which a request meets its parts. It listens nowhere yet. */
export async function buildApp(
  configuration: GatewayConfiguration,
  store: Store,
  log: Logger,
  options: { operations: ReadonlyMap<string, Operation>; programs: Programs; draining: () => boolean },
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    // Metrics count requests; the log is for what someone should look at.
    // A logger of its own for each request would be built, redaction and all, though most requests log nothing.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: configuration.trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 60_000,
    exposeHeadRoutes: false,
    // A project's key is in the path, percent-encoded.
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: (error, socket) => answerParseError(error, socket),
    frameworkErrors: (error, request, reply) => answerRoutingError(error, request as never, reply as never),
    forceCloseConnections: 'idle',
    // What still comes on an open connection while this replica drains is served: it was sent before anyone could know.
    return503OnClosing: false,
  }) as unknown as FastifyInstance;
  app.decorate('publicUrl', configuration.publicUrl);
  // Hooks of every request call back rather than promise: a promise each is what they would cost.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-baton-replica', configuration.replica);
    done();
  });
  sendErrorsAsProblems(app);
  refuseForeignOrigins(app, configuration.allowedOrigins);
  readCredentials(app, configuration.operatorToken);
  preflightLargeBody(app, store);
  parseJsonBodies(app);

  const check = new AnswerValidator();
  app.addHook('onClose', () => check.close());
  app.addHook('preClose', async () => services.inflightWaits.drain());
  const services: Services = {
    store,
    programs: options.programs,
    answerCheck: check,
    operations: options.operations,
    inflightWaits: new InflightWaits(),
  };
  serveHealth(app, store, options.draining);
  serveProtectedResourceMetadata(app);
  serveMetrics(app, store, configuration.metricsOpen);
  const servers = createMcpServerFactory(toolCatalog(options.operations), VERSION, (err) =>
    log.error({ err }, 'tool failed'),
  );
  await app.register(mcpRoutes, { services, servers, fastPathEnabled: configuration.fastPath });
  await app.register(restRoutes, { prefix: '/v1', services });
  return app;
}
