/** A map of at most `most` entries: what was used longest ago makes room. */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.most) return;
    for (const [oldest] of this.entries) {
      this.entries.delete(oldest);
      return;
    }
  }
}
