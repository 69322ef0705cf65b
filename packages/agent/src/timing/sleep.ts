import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or earlier when the signal is aborted; never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // The only rejection is the abort.
  await delay(ms, undefined, { signal }).catch(() => {});
}

/** A sleep that others end early. An interrupt while nobody sleeps ends the next sleep at once. */
export class InterruptibleSleep {
  private interruption = new AbortController();

  async sleep(ms: number): Promise<void> {
    await sleep(ms, this.interruption.signal);
    if (this.interruption.signal.aborted) this.interruption = new AbortController();
  }

  interrupt(): void {
    this.interruption.abort();
  }
}
