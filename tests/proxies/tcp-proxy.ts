import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Both ends of one connection through a proxy. */
export interface ProxiedSockets {
  readonly client: Socket;
  readonly server: Socket;
}

/**
 * A TCP proxy on a free local port in front of an HTTP server. Subclasses decide what becomes of the bytes of each
 * direction; when one end closes, the other is closed.
 */
export abstract class TcpProxy {
  private readonly listener: Server;
  private readonly sockets = new Set<Socket>();

  constructor(target: URL) {
    this.listener = createServer((client) => {
      if (!this.accepts()) return void client.destroy();
      const server = connect(Number(target.port), target.hostname);
      const pair = { client, server };
      for (const socket of [client, server]) {
        this.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.sockets.delete(socket);
          if (this.staysOpen(pair)) return;
          client.destroy();
          server.destroy();
        });
      }
      client.on('data', (bytes) => this.onRequestBytes(bytes, pair));
      server.on('data', (bytes) => this.onReplyBytes(bytes, pair));
      return undefined;
    });
  }

  async listen(): Promise<this> {
    this.listener.listen(0, '127.0.0.1');
    await once(this.listener, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.destroyConnections();
    this.listener.close();
    await once(this.listener, 'close');
  }

  protected destroyConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  protected accepts(): boolean {
    return true;
  }

  /** Whether one end of a connection outlives the other. */
  protected staysOpen(_sockets: ProxiedSockets): boolean {
    return false;
  }

  protected onRequestBytes(bytes: Buffer, { server }: ProxiedSockets): void {
    server.write(bytes);
  }

  protected onReplyBytes(bytes: Buffer, { client }: ProxiedSockets): void {
    client.write(bytes);
  }
}
