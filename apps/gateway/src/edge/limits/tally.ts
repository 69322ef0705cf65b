/** Counts by name; what counts nothing is not held. */
export class Tally {
  private readonly counts = new Map<string, number>();

  get(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: string, by: 1 | -1): void {
    const count = this.get(name) + by;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}
