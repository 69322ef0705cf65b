import { LRUCache } from 'lru-cache';

/** What a holder of a key leaves there for the next one; `size`: the bytes of heap that it takes, roughly. */
export interface KeyState {
  readonly size: number;
}

/** A key while it is held. */
export interface LockedKey {
  /** What the holder before left, and what this one leaves. */
  state?: KeyState | undefined;
}

interface Line extends LockedKey {
  /** Resolves when the last call in line has ended. */
  last: Promise<void>;
  length: number;
}

/** State is kept for so long after its last use, in milliseconds, and at most so many bytes of it, of each key and in all. */
const KEPT_MS = 10_000;
const MAX_KEPT_BYTES = 33_554_432;
const MAX_KEPT_BYTES_EACH = MAX_KEPT_BYTES / 2;

/**
 * Runs the work of each key one after the other, in the order of the calls, and hands the state that each leaves
 * to the next in line, or to one that comes soon.
 */
export class KeyedMutex {
  private readonly lines = new Map<string, Line>();
  private readonly kept = new LRUCache<string, KeyState>({
    ttl: KEPT_MS,
    maxSize: MAX_KEPT_BYTES,
    maxEntrySize: MAX_KEPT_BYTES_EACH,
    sizeCalculation: ({ size }) => Math.max(1, Math.ceil(size)),
  });
  private generation = 0;

  /** Returns or throws what `work` does; the next in line begins then. */
  async hold<T>(key: string, work: (held: LockedKey) => Promise<T>): Promise<T> {
    const line = this.lines.get(key) ?? this.beginLine(key);
    const before = line.last;
    let release = () => {};
    line.last = new Promise((resolve) => {
      release = resolve;
    });
    line.length++;
    await before;
    const { generation } = this;
    try {
      return await work(line);
    } finally {
      if (generation !== this.generation) line.state = undefined;
      if (--line.length === 0) this.endLine(key, line);
      release();
    }
  }

  /** Forgets the state of all keys, and what those leave that hold a key now. */
  forget(): void {
    this.generation++;
    this.kept.clear();
    for (const line of this.lines.values()) line.state = undefined;
  }

  private beginLine(key: string): Line {
    const line: Line = { last: Promise.resolve(), length: 0, state: this.kept.get(key) };
    this.kept.delete(key);
    this.lines.set(key, line);
    return line;
  }

  private endLine(key: string, { state }: Line): void {
    this.lines.delete(key);
    if (state !== undefined) this.kept.set(key, state);
  }
}
