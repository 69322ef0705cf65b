import type { FastifyReply } from 'fastify';
import { OverSignal } from './over-signal.ts';

/** Why a call stops waiting. A drained one still answers, with how things stand; nobody is left to hear a gone one. */
export const GONE = 'gone';
const DRAINING = 'draining';

/** The calls that wait for something, so that their wait ends when their client has gone, or the process drains. */
export class OpenCalls {
  private readonly waits = new Set<OverSignal>();
  private draining = false;

  /** The signal of one call, made when it is first asked for: most calls never wait. */
  signalOf(reply: FastifyReply): () => OverSignal {
    let wait: OverSignal | undefined;
    return () => (wait ??= this.begin(reply));
  }

  drain(): void {
    this.draining = true;
    for (const wait of this.waits) wait.abort(DRAINING);
  }

  private begin(reply: FastifyReply): OverSignal {
    const wait = new OverSignal();
    if (this.draining) wait.abort(DRAINING);
    if (reply.raw.closed) {
      // It has said 'close' already, and will not say it again.
      wait.abort(GONE);
      return wait;
    }
    this.waits.add(wait);
    reply.raw.on('close', () => {
      this.waits.delete(wait);
      wait.abort(GONE);
    });
    return wait;
  }
}
