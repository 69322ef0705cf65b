import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** One reply that a client did not get, and the one that it got when it sent the command again. */
export interface LostReply {
  readonly lost: string;
  readonly second: string;
}

/**
 * A proxy on a Unix socket in front of a Redis. It forwards everything, but for the reply to a command that it is told of:
 * the command is executed, its reply is kept back and the connection closed.
 */
export class ReplyLosingProxy {
  readonly url: string;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private armed:
    | { readonly text: string; readonly onLost: () => Promise<void>; lost?: string; second?: string }
    | undefined;

  private constructor(path: string, redisPath: string) {
    this.url = `unix://${path}`;
    this.server = createServer((client) => this.connect(client, createConnection(redisPath)));
  }

  static async open(path: string, redisPath: string): Promise<ReplyLosingProxy> {
    const proxy = new ReplyLosingProxy(path, redisPath);
    await new Promise<void>((resolve) => proxy.server.listen(path, resolve));
    return proxy;
  }

  /** Loses the reply to the first command that contains `text` while `send` runs; `onLost` runs before the client knows. */
  async loseReply<T>(
    text: string,
    onLost: () => Promise<void>,
    send: () => Promise<T>,
  ): Promise<[T, LostReply]> {
    const armed = { text, onLost, lost: undefined, second: undefined } as ReplyLosingProxy['armed'] & object;
    this.armed = armed;
    try {
      const result = await send();
      return [result, { lost: armed.lost ?? '', second: armed.second ?? '' }];
    } finally {
      this.armed = undefined;
    }
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private connect(client: Socket, redis: Socket): void {
    let awaited = false;
    for (const socket of [client, redis]) {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        redis.destroy();
      });
    }
    client.on('data', (bytes) => {
      awaited = this.armed !== undefined && bytes.includes(this.armed.text);
      redis.write(bytes);
    });
    redis.on('data', (bytes) => {
      const { armed } = this;
      if (!awaited || armed === undefined) return void client.write(bytes);
      awaited = false;
      if (armed.lost === undefined) {
        armed.lost = bytes.toString();
        void armed.onLost().finally(() => client.destroy());
      } else {
        armed.second = bytes.toString();
        client.write(bytes);
      }
    });
  }
}
