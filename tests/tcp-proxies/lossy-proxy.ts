import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A door to a replica that can be shut, or that lets requests in and no replies out. */
export class LossyProxy {
  private state: 'open' | 'shut' | 'one-way' = 'open';
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  /** How many replies were lost. */
  droppedReplies = 0;

  private constructor(target: URL) {
    this.server = createServer((client) => {
      if (this.state === 'shut') return client.destroy();
      const replica = connect(Number(target.port), target.hostname);
      for (const socket of [client, replica]) {
        this.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.sockets.delete(socket);
          client.destroy();
          replica.destroy();
        });
      }
      client.on('data', (bytes) => replica.write(bytes));
      replica.on('data', (bytes) => {
        if (this.state === 'open') return void client.write(bytes);
        this.droppedReplies++;
        client.destroy();
      });
      return undefined;
    });
  }

  static async inFrontOf(url: string): Promise<LossyProxy> {
    const door = new LossyProxy(new URL(url));
    door.server.listen(0, '127.0.0.1');
    await once(door.server, 'listening');
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  forwardAll(): void {
    this.state = 'open';
  }

  /** Nothing gets through, and what was on its way is cut off. */
  refuseAll(): void {
    this.state = 'shut';
    for (const socket of this.sockets) socket.destroy();
  }

  /** What is asked is done, and nobody hears of it. */
  dropReplies(): void {
    this.state = 'one-way';
  }

  async close(): Promise<void> {
    this.refuseAll();
    this.server.close();
    await once(this.server, 'close');
  }
}
