/** The longest time that a timer of Node takes. */
const MAX_TIMER_MS = 2_147_483_647;

/** Calls back when the first of the keys expires that hold a tenant's streams: one timer, however many there are. */
export class KeyExpiryTimer {
  private readonly onExpiry: () => void;
  private timer: NodeJS.Timeout | undefined;
  private at = Number.POSITIVE_INFINITY;

  /** `onExpiry` notes the expiries again of the keys that go on. */
  constructor(onExpiry: () => void) {
    this.onExpiry = onExpiry;
  }

  /** A key expires `at`, by `performance.now()`; infinite for one that does not. */
  note(at: number): void {
    if (at >= this.at) return;
    this.stop();
    this.at = at;
    const wait = Math.min(Math.max(0, at - performance.now()), MAX_TIMER_MS);
    this.timer = setTimeout(() => {
      this.at = Number.POSITIVE_INFINITY;
      this.onExpiry();
    }, wait).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.at = Number.POSITIVE_INFINITY;
  }
}
