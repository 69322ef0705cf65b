import type { Operation } from '@baton/operations';
import { MAX_BODY_BYTES } from '@baton/protocol';
import { CallerSchemaValidator, type Programs } from '@baton/runner';
import type { Store } from '@baton/store';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Services } from './call/call.ts';
import { InflightWaits } from './call/inflight-waits.ts';
import type { GatewayConfiguration } from './configuration.ts';
import {
  allowCrossOriginRequests,
  crossOriginHeadersOf,
  originsThatMayCall,
  refuseForeignOrigins,
} from './edge/allowed-origins.ts';
import { installCredentialParser } from './edge/credential.ts';
import { EventLog, requestIdOf } from './edge/event-log.ts';
import { installJsonBodyParser } from './edge/json-body-parser.ts';
import { refuseUnadmittedLargeBodies } from './edge/large-body-admission.ts';
import { sendHttpParseError, sendRoutingError, installErrorHandlers } from './edge/error-responses.ts';
import { limitConnections, limitConnectionsAndBuffersPerKey } from './edge/limits/connection-limits.ts';
import { limitUnreadReplies } from './edge/limits/unread-replies.ts';
import type { ReplicaWideLimits } from './edge/replica-wide-limits.ts';
import { refuseOauth } from './discovery/oauth-refusals.ts';
import { serveProtectedResourceMetadata } from './discovery/protected-resource-metadata.ts';
import { serveConsole } from './discovery/console.ts';
import { serveRootPage } from './discovery/root-page.ts';
import { refuseInvalidHosts } from './edge/public-url.ts';
import { refuseAmbiguousHeads } from './edge/request-head/ambiguous-heads.ts';
import { addResponseHeaders, type ResponseHeaders, responseHeadersOf } from './edge/response-headers.ts';
import { traceRequests } from './edge/tracing/request-trace.ts';
import { requireDeclaredAccess } from './edge/route-access.ts';
import { recordRouteMethods } from './edge/route-methods.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { serveHealth } from './monitoring/health.ts';
import { type GatewayMetrics, serveMetrics } from './monitoring/metrics.ts';
import { restRoutes } from './rest/index.ts';
import { SessionTokens } from './sessions/session-tokens.ts';
import { StreamRegistry } from './subscriptions/stream-registry.ts';
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
    metrics: GatewayMetrics;
    operations: ReadonlyMap<string, Operation>;
    programs: Programs;
    draining: () => boolean;
    findFixtureResource?: Services['findFixtureResource'];
  },
): Promise<FastifyInstance> {
  const { audience } = options;
  const forOperators = audience !== 'clients';
  const responseHeaders = responseHeadersOf(configuration);
  const app = createHttpServer(configuration, log, responseHeaders);
  app.decorate('publicUrl', configuration.publicUrl);
  const { metrics, bufferBudget, refusalCosts, loopTurns } = options.replicaWideLimits;
  app.decorate('refusalCosts', refusalCosts);
  app.decorate('eventLog', new EventLog(log, options.metrics.events.count));
  traceRequests(app, configuration.tracer);
  addResponseHeaders(app, responseHeaders);
  const connections = limitConnections(app, configuration, metrics);
  recordRouteMethods(app);
  installErrorHandlers(app);
  refuseInvalidHosts(app);
  refuseAmbiguousHeads(app);
  const origins = originsThatMayCall(configuration);
  refuseForeignOrigins(app, origins);
  await allowCrossOriginRequests(app, origins);
  requireDeclaredAccess(app);
  installCredentialParser(app, forOperators ? configuration.operatorToken : undefined);
  limitConnectionsAndBuffersPerKey(app, connections, bufferBudget);
  limitUnreadReplies(app, store, bufferBudget, configuration.trustProxy);
  refuseUnadmittedLargeBodies(app, store, bufferBudget);
  installJsonBodyParser(app, loopTurns);

  serveHealth(app, store, options.draining);
  serveRootPage(app, { servesMcp: audience !== 'operators' });
  await serveConsole(app, configuration.consoleFolder);
  serveProtectedResourceMetadata(app);
  refuseOauth(app);
  options.metrics.requests.observe(app);
  if (forOperators) serveMetrics(app, options.metrics, configuration.metricsOpen);

  const services = createServices(app, store, log, options);
  const sessions = new SessionTokens(store);
  const streams = new StreamRegistry(sessions);
  options.metrics.countStreams(() => streams.size);
  if (audience !== 'operators') await app.register(mcpRoutes, { services, sessions, streams });
  const rest = { services, streams, forOperators };
  await app.register(restRoutes, { prefix: '/v1', ...rest });
  return app;
}

/** What this process shares between requests; it ends with the app. */
function createServices(
  app: FastifyInstance,
  store: Store,
  logger: Logger,
  {
    operations,
    programs,
    findFixtureResource,
  }: Pick<Parameters<typeof buildApp>[3], 'operations' | 'programs' | 'findFixtureResource'>,
): Services {
  const answerValidator = new CallerSchemaValidator();
  const inflightWaits = new InflightWaits();
  app.addHook('onClose', () => answerValidator.close());
  app.addHook('preClose', async () => inflightWaits.drain());
  const tools = allTools(operations);
  const log = (err: unknown) => logger.error({ err }, 'a tool or a method of MCP failed');
  return { store, programs, answerValidator, operations, tools, log, inflightWaits, findFixtureResource };
}

function createHttpServer(
  configuration: GatewayConfiguration,
  log: Logger,
  responseHeaders: ResponseHeaders,
): FastifyInstance {
  const crossOriginHeaders = crossOriginHeadersOf(originsThatMayCall(configuration));
  const { requestMs } = configuration.edgeLimits;
  const app = Fastify({
    loggerInstance: log,
    genReqId: requestIdOf,
    // Requests are counted by metrics; the log has events of calls and what needs attention, so no request gets a logger of its own.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: configuration.trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestMs,
    // A project's key is in the path, percent-encoded.
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: (error, socket) => sendHttpParseError(error, socket, responseHeaders),
    frameworkErrors: (error, request, reply) =>
      sendRoutingError(error, request as never, reply as never, responseHeaders, crossOriginHeaders),
    // Node would answer a request without a Host by itself; `refuseInvalidHosts` does.
    // Of the two time-outs Node takes the shorter one for heads.
    http: {
      requireHostHeader: false,
      headersTimeout: requestMs,
      connectionsCheckingInterval: requestMs / 2,
    },
    forceCloseConnections: 'idle',
    // A request on an open connection is served during a drain: it was sent before its client could know.
    return503OnClosing: false,
  }) as unknown as FastifyInstance;
  // Node would answer an expectation that it does not know by itself; it may be ignored (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  return app;
}
