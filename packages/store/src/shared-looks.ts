/**
 * Looks that are made in one turn of the event loop, for the same and by those who wait for it, are one: when something
 * becomes pending all of them are woken at once, and what each would read is large. What comes after the one look wakes
 * all of them again, since that look has registered for it.
 */
export class SharedLooks {
  private readonly made = new Map<string, Promise<unknown>>();
  private line: Promise<void> = Promise.resolve();

  async look<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.made.get(name) as Promise<T> | undefined;
    if (known === undefined) {
      const made = make();
      this.made.set(name, made);
      setImmediate(() => this.made.delete(name));
      return made;
    }
    const page = await known;
    // One in each turn: what each makes of a page takes its time, and the loop is not theirs alone.
    this.line = this.line.then(() => new Promise((resolve) => setImmediate(resolve)));
    await this.line;
    return page;
  }
}
