/** Sets of values, each by its key; one that is empty is gone. */
export class SetMultimap<K, V> {
  private readonly groups = new Map<K, Set<V>>();

  add(key: K, value: V): void {
    const group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, new Set([value]));
    else group.add(value);
  }

  delete(key: K, value: V): void {
    const group = this.groups.get(key);
    group?.delete(value);
    if (group?.size === 0) this.groups.delete(key);
  }

  get(key: K): Iterable<V> {
    return this.groups.get(key) ?? [];
  }

  sets(): Iterable<ReadonlySet<V>> {
    return this.groups.values();
  }
}
