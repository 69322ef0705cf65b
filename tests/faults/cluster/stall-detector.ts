import { historyClock, type History } from '../checker/history.ts';

const INTERVAL_MS = 50;

/** Later than this is not the run's own work: it does nothing that takes so long. */
const STALL_MS = 250;

/**
 * Notes when the machine let this process wait, as it then does to all others of the run: on a machine that others keep
 * busy, deadlines would otherwise measure them. Where nobody disturbs, it notes nothing.
 */
export class StallDetector {
  private readonly timer: NodeJS.Timeout;
  private last = historyClock();
  /** How long in all, in milliseconds. */
  stalledMs = 0;

  constructor(history: History) {
    this.timer = setInterval(() => {
      const due = this.last + INTERVAL_MS;
      this.last = historyClock();
      if (this.last - due < STALL_MS) return;
      this.stalledMs += this.last - due;
      history.add({ at: due, type: 'out', target: 'machine' });
      history.add({ type: 'back', target: 'machine' });
    }, INTERVAL_MS);
  }

  get text(): string {
    return this.stalledMs === 0 ? '' : `; the machine stalled for ${(this.stalledMs / 1_000).toFixed(1)} s`;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
