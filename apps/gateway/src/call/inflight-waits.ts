import type { FastifyReply } from 'fastify';
import { CallAbortSignal } from './call-abort-signal.ts';

/** Why a call stops waiting. A drained one still answers, with the current state; a closed one has no client any more, and a cancelled one is not answered. */
export const CLIENT_CLOSED = 'gone';
/** Its client has cancelled the request: nobody reads what comes of it. */
export const REQUEST_CANCELLED = 'cancelled';
const DRAINING = 'draining';

/** The calls that wait for something: a wait ends when its client closes the connection or the process drains. */
export class InflightWaits {
  private readonly waits = new Set<CallAbortSignal>();
  private draining = false;

  /** The signal of one call, created at its first use: most calls never wait. */
  signalFor(reply: FastifyReply): () => CallAbortSignal {
    let wait: CallAbortSignal | undefined;
    return () => (wait ??= this.createSignal(reply));
  }

  drain(): void {
    this.draining = true;
    for (const wait of this.waits) wait.abort(DRAINING);
  }

  private createSignal(reply: FastifyReply): CallAbortSignal {
    const wait = new CallAbortSignal();
    if (this.draining) wait.abort(DRAINING);
    if (reply.raw.closed || reply.raw.destroyed) {
      // 'close' was emitted already, and is not emitted again.
      wait.abort(CLIENT_CLOSED);
      return wait;
    }
    this.waits.add(wait);
    reply.raw.on('close', () => {
      this.waits.delete(wait);
      wait.abort(CLIENT_CLOSED);
    });
    return wait;
  }
}
