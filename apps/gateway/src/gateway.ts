import { type Operation, operations } from '@baton/operations';
import { Programs } from '@baton/runner';
import type { Store } from '@baton/store';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import type { GatewayConfiguration } from './configuration.ts';

export interface RunningGateway {
  readonly url: string;
  /** Fails readiness for `unreadyMs`, takes no new connections, and ends requests under way within `drainMs`. */
  stop(): Promise<void>;
}

/**
 * Starts one replica; it serves when this returns. `added` operations are for tests and benchmarks: tools by their own name,
 * and former versions by any other.
 */
export async function startGateway(
  configuration: GatewayConfiguration,
  store: Store,
  log: Logger,
  added: ReadonlyMap<string, Operation> = new Map(),
): Promise<RunningGateway> {
  let draining = false;
  const app = await buildApp(configuration, store, log, {
    operations: new Map([...operations, ...[...added].filter(([key, { name }]) => key === name)]),
    programs: new Programs(added),
    draining: () => draining,
  });
  // While draining, a response has its client take another connection, and so another replica.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close');
    done(null, payload);
  });
  const unused = unusedConnections(app.server);
  await app.listen({ host: configuration.host, port: configuration.port });
  const { port } = app.server.address() as AddressInfo;
  const host = configuration.host.includes(':') ? `[${configuration.host}]` : configuration.host;

  return {
    url: `http://${host}:${port}`,
    async stop() {
      draining = true;
      // Load balancers poll readiness: until they have seen it fail, requests still come here.
      await new Promise((resolve) => setTimeout(resolve, configuration.unreadyMs));
      // Connections that become idle during the close would stay open for as long as their clients keep them.
      const idle = setInterval(() => {
        app.server.closeIdleConnections();
        for (const socket of unused()) socket.destroy();
      }, 50);
      const forced = setTimeout(() => app.server.closeAllConnections(), configuration.drainMs);
      await app.close();
      clearInterval(idle);
      clearTimeout(forced);
    },
  };
}

/** A client that opens a connection in advance has this long to send a request on it. */
const UNUSED_MS = 1_000;

/** Connections without a request yet: Node counts them as busy, and a drain would wait for them until it is forced. */
function unusedConnections(server: Server): () => Socket[] {
  const opened = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    opened.set(socket, performance.now());
    socket.once('close', () => opened.delete(socket));
  });
  return () => {
    const before = performance.now() - UNUSED_MS;
    return [...opened].flatMap(([socket, at]) => (socket.bytesRead === 0 && at < before ? [socket] : []));
  };
}
