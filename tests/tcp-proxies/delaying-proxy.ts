import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way of bytes through the door: what is asked, or what is answered. */
type Direction = 'asked' | 'answered';

/** A door to a replica on whose way one message takes as long as a test wants. It arrives, whoever has hung up. */
export class DelayingProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private slow: { readonly way: Direction; readonly says: RegExp; readonly kept: () => void } | undefined;
  private letGo = () => {};

  private constructor(target: URL) {
    this.server = createServer((client) => {
      const replica = connect(Number(target.port), target.hostname);
      let keeping = false;
      const pass = (way: Direction, bytes: Buffer, to: Socket) => {
        if (this.slow?.way !== way || !this.slow.says.test(bytes.toString())) return void to.write(bytes);
        const { kept } = this.slow;
        this.slow = undefined;
        keeping = true;
        this.letGo = () => void to.write(bytes);
        return kept();
      };
      for (const socket of [client, replica]) {
        this.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.sockets.delete(socket);
          if (keeping) return;
          client.destroy();
          replica.destroy();
        });
      }
      client.on('data', (bytes) => pass('asked', bytes, replica));
      replica.on('data', (bytes) => pass('answered', bytes, client));
    });
  }

  static async inFrontOf(url: string): Promise<DelayingProxy> {
    const door = new DelayingProxy(new URL(url));
    door.server.listen(0, '127.0.0.1');
    await once(door.server, 'listening');
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Keeps the next message that says so; resolves when it has come. */
  holdNext(way: Direction, says: RegExp): Promise<void> {
    return new Promise((kept) => {
      this.slow = { way, says, kept };
    });
  }

  /** Lets go what was kept. */
  release(): void {
    this.letGo();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
