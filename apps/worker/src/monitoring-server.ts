import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readReadiness, type ReadinessSource } from '@baton/store';
import type { Registry } from 'prom-client';

/** A heartbeat starts every 2 s; Redis may delay one by two command timeouts. */
const STUCK_AFTER_MS = 15_000;

export interface MonitoringSource {
  /** When the heartbeat last began a round, by `performance.now()`. */
  readonly lastTickAt: () => number;
  readonly store: ReadinessSource;
  readonly draining: () => boolean;
  readonly metrics: Registry;
  /** Who may read the metrics: bearers of this token, or everybody; undefined means nobody. */
  readonly metricsFor: { readonly token: string } | 'everybody' | undefined;
}

interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body: string | object;
}

/**
 * The worker's HTTP port for probes. `/healthz` is 200 while the heartbeat runs, whatever Redis does. `/readyz` is 200
 * when Redis can be used as well and the worker is not draining. `/metrics` is Prometheus'. Port 0 takes a free port.
 */
export async function startMonitoringServer(
  { host, port }: { readonly host: string; readonly port: number },
  source: MonitoringSource,
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    void respond(request, source).then(({ status, type = 'application/json', body }) =>
      response
        .writeHead(status, { 'content-type': type, connection: 'close' })
        .end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(request: IncomingMessage, source: MonitoringSource): Promise<Reply> {
  const stuck = !source.draining() && performance.now() - source.lastTickAt() > STUCK_AFTER_MS;
  switch (request.url) {
    case '/healthz':
      return stuck ? { status: 503, body: { status: 'stuck' } } : { status: 200, body: { status: 'ok' } };
    case '/readyz':
      return stuck ? { status: 503, body: { status: 'stuck' } } : readiness(source);
    case '/metrics':
      return metrics(request.headers.authorization ?? '', source);
    default:
      return { status: 404, body: { status: 'not found' } };
  }
}

async function readiness({ draining, store }: MonitoringSource): Promise<Reply> {
  return draining() ? { status: 503, body: { status: 'draining' } } : readReadiness(store);
}

async function metrics(
  authorization: string,
  { metrics: registry, metricsFor }: MonitoringSource,
): Promise<Reply> {
  if (metricsFor !== 'everybody' && !isBearer(authorization, metricsFor?.token))
    return { status: 401, body: { status: '/metrics needs the operator token' } };
  return { status: 200, type: registry.contentType, body: await registry.metrics() };
}

function isBearer(authorization: string, token: string | undefined): boolean {
  const [shown, wanted] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return token !== undefined && shown.length === wanted.length && timingSafeEqual(shown, wanted);
}
