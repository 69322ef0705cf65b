import type { Operation } from '@baton/operations';
import { MAX_BODY_BYTES, BATON_VERSION } from '@baton/protocol';
import { CallerSchemaValidator, type Programs } from '@baton/runner';
import type { Store } from '@baton/store';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Services } from './call/call.ts';
import { InflightWaits } from './call/inflight-waits.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { refuseForeignOrigins } from './edge/allowed-origins.ts';
import { installCredentialParser } from './edge/credential.ts';
import { installJsonBodyParser } from './edge/json-body-parser.ts';
import { refuseUnadmittedLargeBodies } from './edge/large-body-admission.ts';
import { sendHttpParseError, sendRoutingError, installErrorHandlers } from './edge/error-responses.ts';
import { limitConnections, limitConnectionsAndBuffersPerKey } from './edge/limits/connection-limits.ts';
import { limitUnreadReplies } from './edge/limits/unread-replies.ts';
import type { ReplicaWideLimits } from './edge/replica-wide-limits.ts';
import { serveProtectedResourceMetadata } from './edge/protected-resource-metadata.ts';
import { refuseInvalidHosts } from './edge/public-url.ts';
import { addResponseHeaders } from './edge/response-headers.ts';
import { requireDeclaredAccess } from './edge/route-access.ts';
import { createMcpServerFactory } from './mcp/mcp-server.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { serveHealth } from './monitoring/health.ts';
import { serveMetrics } from './monitoring/metrics.ts';
import type { RequestMetrics } from './monitoring/request-metrics.ts';
import { restRoutes } from './rest/index.ts';
import { allTools } from './prompts/all-tools.ts';

/** Whom a listener serves: everyone, or, where operators have a listener of their own, only these or only the others. */
export type Audience = 'everyone' | 'clients' | 'operators';

/**
 * One listener of a replica, composed in the order in which a request meets its parts: the HTTP server, the edge (connections,
 * errors, origin, credential, size, body), what is served to anyone or to operators, and the two interfaces, MCP and REST. It listens
 * nowhere yet.
 */
export async function buildApp(
  configuration: GatewayConfiguration,
  store: Store,
  log: Logger,
  options: {
    audience: Audience;
    replicaWideLimits: ReplicaWideLimits;
    requestMetrics: RequestMetrics;
    operations: ReadonlyMap<string, Operation>;
    programs: Programs;
    draining: () => boolean;
  },
): Promise<FastifyInstance> {
  const { audience } = options;
  const forOperators = audience !== 'clients';
  const app = createHttpServer(configuration, log);
  requireDeclaredAccess(app);
  app.decorate('publicUrl', configuration.publicUrl);
  const { metrics, bufferBudget, refusalCosts, loopTurns } = options.replicaWideLimits;
  app.decorate('refusalCosts', refusalCosts);
  addResponseHeaders(app, configuration.replica);
  const connections = limitConnections(app, configuration, metrics);
  installErrorHandlers(app);
  refuseInvalidHosts(app);
  refuseForeignOrigins(app, configuration.allowedOrigins);
  installCredentialParser(app, forOperators ? configuration.operatorToken : undefined);
  limitConnectionsAndBuffersPerKey(app, connections, bufferBudget);
  limitUnreadReplies(app, store, bufferBudget);
  refuseUnadmittedLargeBodies(app, store, bufferBudget);
  installJsonBodyParser(app, loopTurns);

  serveHealth(app, store, options.draining);
  serveProtectedResourceMetadata(app);
  options.requestMetrics.observe(app);
  const counted = { edge: metrics, requests: options.requestMetrics };
  if (forOperators) serveMetrics(app, store, configuration.metricsOpen, counted);

  const services = createServices(app, store, options);
  if (audience !== 'operators') {
    const logError = (err: unknown) => log.error({ err }, 'an MCP method failed');
    const tools = allTools(options.operations, logError);
    const servers = createMcpServerFactory(tools, BATON_VERSION, logError);
    await app.register(mcpRoutes, { services, servers, fastPathEnabled: configuration.fastPath });
  }
  await app.register(restRoutes, { prefix: '/v1', services, forOperators });
  return app;
}

/** What this process shares between requests; it ends with the app. */
function createServices(
  app: FastifyInstance,
  store: Store,
  { operations, programs }: { operations: ReadonlyMap<string, Operation>; programs: Programs },
): Services {
  const answerValidator = new CallerSchemaValidator();
  const inflightWaits = new InflightWaits();
  app.addHook('onClose', () => answerValidator.close());
  app.addHook('preClose', async () => inflightWaits.drain());
  return { store, programs, answerValidator, operations, inflightWaits };
}

function createHttpServer(configuration: GatewayConfiguration, log: Logger): FastifyInstance {
  return Fastify({
    loggerInstance: log,
    // Requests are counted by metrics; the log has only what needs attention, so no request gets a logger of its own.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: configuration.trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 60_000,
    exposeHeadRoutes: false,
    // A project's key is in the path, percent-encoded.
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: (error, socket) => sendHttpParseError(error, socket),
    frameworkErrors: (error, request, reply) => sendRoutingError(error, request as never, reply as never),
    forceCloseConnections: 'idle',
    // A request on an open connection is served during a drain: it was sent before its client could know.
    return503OnClosing: false,
  }) as unknown as FastifyInstance;
}
