import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** An app that listens at a port. */
export class Listener {
  readonly url: string;
  private readonly app: FastifyInstance;
  private readonly unused: () => Socket[];

  private constructor(app: FastifyInstance, url: string, unused: () => Socket[]) {
    this.app = app;
    this.url = url;
    this.unused = unused;
  }

  /** It serves when this returns. While `draining`, a response has its client take another connection, and so another replica. */
  static async open(
    app: FastifyInstance,
    host: string,
    port: number,
    draining: () => boolean,
  ): Promise<Listener> {
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (draining()) reply.header('connection', 'close');
      done(null, payload);
    });
    const unused = unusedConnections(app.server);
    await app.listen({ host, port });
    const { port: taken } = app.server.address() as AddressInfo;
    return new Listener(app, `http://${host.includes(':') ? `[${host}]` : host}:${taken}`, unused);
  }

  /** Takes no new connections, and ends requests under way within `drainMs`. */
  async close(drainMs: number): Promise<void> {
    // Connections that become idle during the close would stay open for as long as their clients keep them.
    const idle = setInterval(() => {
      this.app.server.closeIdleConnections();
      for (const socket of this.unused()) socket.destroy();
    }, 50);
    const forced = setTimeout(() => this.app.server.closeAllConnections(), drainMs);
    await this.app.close();
    clearInterval(idle);
    clearTimeout(forced);
  }
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
