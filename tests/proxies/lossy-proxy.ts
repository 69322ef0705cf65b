import { type ProxiedSockets, TcpProxy } from './tcp-proxy.ts';

/** A proxy that refuses connections, or forwards requests and drops their replies. */
export class LossyProxy extends TcpProxy {
  private mode: 'forward' | 'refuse' | 'drop-replies' = 'forward';
  droppedReplies = 0;

  static async inFrontOf(url: string): Promise<LossyProxy> {
    return new LossyProxy(new URL(url)).listen();
  }

  forwardAll(): void {
    this.mode = 'forward';
  }

  /** Refuses new connections and destroys those that are open. */
  refuseAll(): void {
    this.mode = 'refuse';
    this.destroyConnections();
  }

  /** Requests still reach the server; the connection of each reply is closed before the reply. */
  dropReplies(): void {
    this.mode = 'drop-replies';
  }

  protected override accepts(): boolean {
    return this.mode !== 'refuse';
  }

  protected override onReplyBytes(bytes: Buffer, { client }: ProxiedSockets): void {
    if (this.mode === 'forward') return void client.write(bytes);
    this.droppedReplies++;
    client.destroy();
  }
}
