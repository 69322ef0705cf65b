/**
 * Looks that are made in one turn of the event loop, for the same and by those who wait for it, are one: when something
 * becomes pending all of them are woken at once, and what each would read is large. What comes after the one look wakes
 * all of them again, since that look has registered for it.
 */
export class SingleFlight {
  private readonly inFlight = new Map<string, Promise<unknown>>();
  private turn: Promise<void> = Promise.resolve();

  async run<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.inFlight.get(name) as Promise<T> | undefined;
    if (known === undefined) {
      const made = make();
      this.inFlight.set(name, made);
      setImmediate(() => this.inFlight.delete(name));
      return made;
    }
    const page = await known;
    // One in each turn: what each makes of a page takes its time, and the loop is not theirs alone.
    this.turn = this.turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    await this.turn;
    return page;
  }
}
