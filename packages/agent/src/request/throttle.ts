/** A pause of `attempt` (from 1): doubling, up to `mostMs`, and half of it random, so that agents do not march in step. */
export function backoff(attempt: number, { firstMs, mostMs }: { firstMs: number; mostMs: number }): number {
  const whole = Math.min(mostMs, firstMs * 2 ** (attempt - 1));
  return whole / 2 + (Math.random() * whole) / 2;
}

/** Waits, or until the signal is aborted; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/** The longest that an endpoint is left alone because it said so. */
const LONGEST_HOLD_MS = 600_000;

/** One endpoint's wish to be left alone holds for all requests of this agent, and for new claims. */
export class EndpointThrottle {
  private until = 0;
  private readonly onHold: (ms: number) => void;

  constructor(onHold: (ms: number) => void) {
    this.onHold = onHold;
  }

  pauseFor(givenMs: number): void {
    const ms = Math.min(givenMs, LONGEST_HOLD_MS);
    this.until = Math.max(this.until, performance.now() + ms);
    this.onHold(ms);
  }

  /** Milliseconds until the endpoint may be asked again. */
  remaining(): number {
    return Math.max(0, this.until - performance.now());
  }
}
