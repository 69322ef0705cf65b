/** A process goes by what it has read for so long, in milliseconds. */
const MAX_AGE_MS = 1_000;

/** What is read of Redis, a second old at most. Reads that are asked for at once are one, and what failed is read again. */
export class CachedRead<T> {
  private readonly read: () => Promise<T>;
  private cached: { readonly at: number; readonly value: Promise<T> } | undefined;

  constructor(read: () => Promise<T>) {
    this.read = read;
  }

  /** Errors: those of the read. */
  get(): Promise<T> {
    const now = performance.now();
    if (this.cached === undefined || now - this.cached.at > MAX_AGE_MS) {
      const read = { at: now, value: this.read() };
      this.cached = read;
      read.value.catch(() => {
        if (this.cached === read) this.forget();
      });
    }
    return this.cached.value;
  }

  /** What it reads was changed by this process. */
  forget(): void {
    this.cached = undefined;
  }
}
