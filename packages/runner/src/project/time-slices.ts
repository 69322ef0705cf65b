/** How long one call computes before it yields the event loop, in milliseconds. */
export const SLICE_MS = 8;

/** Lets other calls run once this one has computed for a slice; for a loop that calls it at each step. */
export class TimeSlices {
  private since = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.since < SLICE_MS) return;
    await yieldEventLoop();
    this.since = performance.now();
  }
}

/** Runs the steps of a generator to its end, in slices; `slices` are those of what was computed before. */
export async function runInSlices<T>(steps: Generator<unknown, T>, slices = new TimeSlices()): Promise<T> {
  for (;;) {
    await slices.next();
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Lets everything run that is ready to. */
export function yieldEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
