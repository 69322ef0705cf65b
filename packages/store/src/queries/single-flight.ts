/**
 * Shares one read among callers that ask for the same in one turn of the event loop: when something becomes pending all
 * waiting calls wake at once, and the page that each would read is large. No caller misses what comes after that read,
 * since the read has registered for it on behalf of all.
 */
export class SingleFlight {
  private readonly inFlight = new Map<string, Promise<unknown>>();
  private turn: Promise<void> = Promise.resolve();

  async run<T>(key: string, read: () => Promise<T>): Promise<T> {
    const shared = this.inFlight.get(key) as Promise<T> | undefined;
    if (shared === undefined) {
      const own = read();
      this.inFlight.set(key, own);
      setImmediate(() => this.inFlight.delete(key));
      return own;
    }
    const result = await shared;
    // One caller in each turn: encoding a large page takes time, and other requests need the event loop too.
    this.turn = this.turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    await this.turn;
    return result;
  }
}
