import { type Collapse, type Entry, formatEntry, type Journal, parseEntry, type Rewind } from '@baton/engine';

/**
 * The journal of a running segment, with the entries that Redis does not have yet. A collapsed branch leaves both; its
 * entries that Redis has are listed for deletion.
 */
export class SegmentJournal {
  private readonly all: Map<string, Entry>;
  private readonly unsaved = new Map<string, string>();
  private readonly dropped = new Set<string>();
  private readonly saved: Set<string>;

  constructor(journal: ReadonlyMap<string, string> = new Map()) {
    this.all = new Map([...journal].map(([path, text]) => [path, parseEntry(text)]));
    this.saved = new Set(journal.keys());
  }

  get entries(): Journal {
    return this.all;
  }

  /** Adds an outcome for the next script to write. It passes through text, so that the program gets what a replay gets. */
  add(path: string, entry: Entry): void {
    const text = formatEntry(entry);
    this.all.set(path, parseEntry(text));
    this.unsaved.set(path, text);
  }

  /** Adds an outcome that a COMMIT wrote together with every unsaved entry. */
  addCommitted(path: string, text: string): void {
    for (const other of this.unsaved.keys()) this.saved.add(other);
    this.unsaved.clear();
    this.saved.add(path);
    this.all.set(path, parseEntry(text));
  }

  collapse(collapsed: readonly Collapse[]): void {
    for (const { path, entry, drop } of collapsed) {
      for (const inner of drop) {
        this.all.delete(inner);
        this.unsaved.delete(inner);
        if (this.saved.delete(inner)) this.dropped.add(inner);
      }
      this.add(path, entry);
    }
  }

  /** What REWIND has done to the journal in Redis. */
  rewind({ drops, journal }: Rewind): void {
    for (const path of drops) {
      this.all.delete(path);
      this.unsaved.delete(path);
      this.saved.delete(path);
    }
    for (const [path, text] of journal) {
      this.all.set(path, parseEntry(text));
      this.saved.add(path);
    }
  }

  /** The entries that the next script writes, and the paths that it deletes. */
  get pendingWrite(): { journal: (readonly [string, string])[]; drops: string[] } {
    return { journal: [...this.unsaved], drops: [...this.dropped] };
  }
}
