import type { Socket } from 'node:net';
import { type ProxiedSockets, TcpProxy } from './tcp-proxy.ts';

type Direction = 'request' | 'reply';

/** A proxy that holds one message back until the test releases it; the message arrives even if its sender has closed. */
export class HoldingProxy extends TcpProxy {
  private next:
    | { readonly direction: Direction; readonly matches: RegExp; readonly held: () => void }
    | undefined;
  private readonly heldConnections = new WeakSet<ProxiedSockets>();
  private sendHeld = () => {};

  static async inFrontOf(url: string): Promise<HoldingProxy> {
    return new HoldingProxy(new URL(url)).listen();
  }

  /** Holds the next message of a direction that matches; resolves when it has come. */
  holdNext(direction: Direction, matches: RegExp): Promise<void> {
    return new Promise((held) => {
      this.next = { direction, matches, held };
    });
  }

  /** Sends what was held. */
  release(): void {
    this.sendHeld();
  }

  protected override staysOpen(sockets: ProxiedSockets): boolean {
    return this.heldConnections.has(sockets);
  }

  protected override onRequestBytes(bytes: Buffer, sockets: ProxiedSockets): void {
    this.forward('request', bytes, sockets, sockets.server);
  }

  protected override onReplyBytes(bytes: Buffer, sockets: ProxiedSockets): void {
    this.forward('reply', bytes, sockets, sockets.client);
  }

  private forward(direction: Direction, bytes: Buffer, sockets: ProxiedSockets, to: Socket): void {
    const { next } = this;
    if (next?.direction !== direction || !next.matches.test(bytes.toString())) return void to.write(bytes);
    this.next = undefined;
    this.heldConnections.add(sockets);
    this.sendHeld = () => void to.write(bytes);
    next.held();
  }
}
