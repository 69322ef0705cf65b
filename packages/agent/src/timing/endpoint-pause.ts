/** A longer Retry-After than this is cut to it. */
const MAX_PAUSE_MS = 600_000;

/** Pauses all requests of an agent, and its claims, for as long as the Retry-After of a failure of the endpoint says. */
export class EndpointPause {
  private until = 0;
  private readonly onPause: (ms: number) => void;

  constructor(onPause: (ms: number) => void) {
    this.onPause = onPause;
  }

  pauseFor(retryAfterMs: number): void {
    const ms = Math.min(retryAfterMs, MAX_PAUSE_MS);
    this.until = Math.max(this.until, performance.now() + ms);
    this.onPause(ms);
  }

  /** Milliseconds until the endpoint may be called again. */
  remaining(): number {
    return Math.max(0, this.until - performance.now());
  }
}
