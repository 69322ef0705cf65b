import { type Collapse, type Entry, formatEntry, type Journal, parseEntry } from '@baton/engine';

/**
 * A journal that grows while a segment runs, and what of it is not in Redis yet. What is collapsed is taken out of
 * both; what stood in Redis of it is to be dropped there.
 */
export class Recording {
  private readonly entries: Map<string, Entry>;
  private readonly unsaved = new Map<string, string>();
  private readonly dropped = new Set<string>();
  private readonly saved: Set<string>;

  constructor(journal: ReadonlyMap<string, string> = new Map()) {
    this.entries = new Map([...journal].map(([path, text]) => [path, parseEntry(text)]));
    this.saved = new Set(journal.keys());
  }

  get journal(): Journal {
    return this.entries;
  }

  /** Adds an outcome that is to be saved. What the program gets now is what a replay will get: it has been text. */
  add(path: string, entry: Entry): void {
    const text = formatEntry(entry);
    this.entries.set(path, parseEntry(text));
    this.unsaved.set(path, text);
  }

  /** Adds an outcome that was saved by the script that brought it about, along with everything unsaved. */
  addSaved(path: string, text: string): void {
    for (const other of this.unsaved.keys()) this.saved.add(other);
    this.unsaved.clear();
    this.saved.add(path);
    this.entries.set(path, parseEntry(text));
  }

  collapse(collapsed: readonly Collapse[]): void {
    for (const { path, entry, drop } of collapsed) {
      for (const inner of drop) {
        this.entries.delete(inner);
        this.unsaved.delete(inner);
        if (this.saved.delete(inner)) this.dropped.add(inner);
      }
      this.add(path, entry);
    }
  }

  /** What the next script has to write. */
  get toSave(): { journal: (readonly [string, string])[]; drops: string[] } {
    return { journal: [...this.unsaved], drops: [...this.dropped] };
  }
}
