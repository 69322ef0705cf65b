import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer without affinity: each request goes to the next replica that is alive. */
export class RoundRobinProxy {
  readonly url: string;
  private readonly close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.close = close;
  }

  /** `replicas` is asked before each request: what is no longer in it gets none. `keepsHost`: replicas see the name by which the proxy was called. */
  static async start(replicas: () => readonly string[], keepsHost = false): Promise<RoundRobinProxy> {
    let turn = 0;
    const server = createServer((incoming, outgoing) => {
      const alive = replicas();
      forward(alive[turn++ % alive.length] ?? '', incoming, outgoing, keepsHost);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new RoundRobinProxy(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  }

  async stop(): Promise<void> {
    await this.close();
  }
}

function forward(
  replica: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  keepsHost: boolean,
): void {
  const { method, headers, url } = incoming;
  const there = request(
    `${replica}${url}`,
    { method, headers: keepsHost ? headers : { ...headers, host: new URL(replica).host } },
    (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
      reply.on('error', () => outgoing.destroy());
    },
  );
  there.on('error', () => outgoing.destroy());
  outgoing.on('close', () => there.destroy());
  incoming.pipe(there);
}
