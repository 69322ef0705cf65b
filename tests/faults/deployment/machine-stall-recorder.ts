import { historyNow, type History } from '../checker/history.ts';

const INTERVAL_MS = 50;

/** A longer delay of the timer comes from the machine: the run itself never blocks for so long. */
const STALL_MS = 250;

/**
 * Records when the machine did not schedule this process, and so none of the run's, so that a busy machine does not count
 * as a missed deadline.
 */
export class MachineStallRecorder {
  private readonly timer: NodeJS.Timeout;
  private last = historyNow();
  /** The sum of all stallRecorder. */
  stalledMs = 0;

  constructor(history: History) {
    this.timer = setInterval(() => {
      const due = this.last + INTERVAL_MS;
      this.last = historyNow();
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
