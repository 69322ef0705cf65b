/** What a holder knows of the line that it stands in. */
export interface MutexLine {
  /** What the holder before left for this one, and what this one leaves for the next. */
  left?: object | undefined;
  /** How many hold or wait, the holder among them. */
  readonly length: number;
}

/**
 * Runs the work of each key one after the other, in the order of the calls; a key costs nothing while nobody has it. What a holder leaves
 * is gone when nobody waits for it.
 */
export class KeyedMutex {
  private readonly lines = new Map<
    string,
    { last: Promise<void>; length: number; left?: object | undefined }
  >();

  /** Returns or throws what `work` does; the next in line begins then. */
  async hold<T>(key: string, work: (line: MutexLine) => Promise<T>): Promise<T> {
    const line = this.lines.get(key) ?? { last: Promise.resolve(), length: 0 };
    this.lines.set(key, line);
    const before = line.last;
    let release = () => {};
    line.last = new Promise((resolve) => {
      release = resolve;
    });
    line.length++;
    await before;
    try {
      return await work(line);
    } finally {
      if (--line.length === 0) this.lines.delete(key);
      release();
    }
  }
}
