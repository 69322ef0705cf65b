import type { Socket } from 'node:net';
import { LlmCallFailure } from '@baton/agent/llm';

const CHECK_MS = 250;
/** Whole replies and those in chunks have at most 21 MB together in any such time (`ReplyThrottle`); what is above it frames chunks. */
const MAX_BYTES = 25_165_824;
/** What a connection has received ahead of who reads its reply, in the buffers of its socket and its parser. */
const READ_AHEAD_BYTES = 262_144;

/**
 * Bounds what a tenant's connections receive on the way to its replies: chunks of a byte may each have an extension of any length, which
 * is part of no reply and is held up by nothing that reads one.
 */
export class ReceiveLimit {
  /** With what each had received at the last check. */
  private readonly sockets = new Map<Socket, number>();
  private checkedAt = 0;
  private checks: NodeJS.Timeout | undefined;

  /** Counts a connection until it closes. It is closed with an LlmCallFailure `api_error` when it takes part in exceeding the limit. */
  watch(socket: Socket): void {
    this.sockets.set(socket, socket.bytesRead);
    socket.once('close', () => {
      this.sockets.delete(socket);
      if (this.sockets.size > 0) return;
      clearInterval(this.checks);
      this.checks = undefined;
    });
    if (this.checks !== undefined) return;
    this.checkedAt = performance.now();
    this.checks = setInterval(() => this.check(), CHECK_MS).unref();
  }

  private check(): void {
    const now = performance.now();
    const most =
      MAX_BYTES * Math.max(1, (now - this.checkedAt) / CHECK_MS) + this.sockets.size * READ_AHEAD_BYTES;
    this.checkedAt = now;
    const received = [...this.sockets].map(([socket, before]) => {
      this.sockets.set(socket, socket.bytesRead);
      return { socket, bytes: socket.bytesRead - before };
    });
    const sum = received.reduce((all, { bytes }) => all + bytes, 0);
    if (sum <= most) return;
    const message = `The tenant's LLM endpoints sent ${sum} bytes within ${CHECK_MS} ms, more than any replies have: the connections that they came on are closed.`;
    for (const { socket, bytes } of received)
      if (bytes >= sum / (2 * received.length)) socket.destroy(new LlmCallFailure('api_error', message));
  }
}
