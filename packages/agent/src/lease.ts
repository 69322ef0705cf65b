/**
 * How long an interaction is hidden from other agents. The lease runs from before it was asked for, so it ends here
 * no later than it ends in Baton, and by whichever clock went further: one of them stands still while a machine sleeps.
 */
export class Lease {
  private readonly begun = now();
  private readonly leaseMs: number;
  /** Aborted when the lease is over. */
  readonly signal: AbortSignal;

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
    this.signal = AbortSignal.timeout(leaseMs);
  }

  /** Milliseconds until others may claim the interaction; 0 when they may already. */
  remaining(): number {
    const { monotonic, wall } = now();
    const elapsed = Math.max(monotonic - this.begun.monotonic, wall - this.begun.wall);
    return Math.max(0, this.leaseMs - elapsed);
  }
}

function now() {
  return { monotonic: performance.now(), wall: Date.now() };
}
