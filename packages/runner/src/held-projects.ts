import { fromFields, type Project } from '@baton/operations';
import { BatonError } from '@baton/protocol';
import type { Outcome } from '@baton/engine';
import type { StoredProject } from '@baton/store';

/** A project as it stood at a version. */
export interface HeldProject {
  readonly version: string;
  readonly project: Project;
}

/**
 * The projects that a segment has read or changed, so that what it does next costs no reading: eight branches that
 * begin at once look at one project, and a branch that follows another's commit sees what that left. A commit is fenced
 * by the version, so that holding an old one never loses anything; it only makes the commit read again.
 */
export class HeldProjects {
  private readonly held = new Map<string, Promise<HeldProject | undefined>>();
  private readonly read: (name: string) => Promise<StoredProject | undefined>;

  constructor(read: (name: string) => Promise<StoredProject | undefined>) {
    this.read = read;
  }

  /** True when `get` would answer from what was seen before. */
  holds(name: string): boolean {
    return this.held.has(name);
  }

  /** The project as it was last seen, or undefined where there is none. */
  get(name: string): Promise<HeldProject | undefined> {
    const held = this.held.get(name) ?? this.readNow(name);
    this.held.set(name, held);
    return held;
  }

  /** The project as it is now. */
  getNow(name: string): Promise<HeldProject | undefined> {
    const now = this.readNow(name);
    this.held.set(name, now);
    return now;
  }

  /** Notes what a commit on `before` has made of the project: each counts the version on by one. */
  put(name: string, before: HeldProject | undefined, project: Project): void {
    const version = String(Number(before?.version ?? '0') + 1);
    this.held.set(name, Promise.resolve({ version, project }));
  }

  /** What a program's `select` makes of the project; what it refuses with is the effect's outcome. */
  async select(name: string, select: (project: unknown) => unknown): Promise<Outcome> {
    const held = await this.get(name);
    try {
      return { ok: true, value: select(held?.project) };
    } catch (thrown) {
      if (!(thrown instanceof BatonError)) throw thrown;
      return { ok: false, error: thrown.toWire() };
    }
  }

  private async readNow(name: string): Promise<HeldProject | undefined> {
    const stored = await this.read(name);
    return stored && { version: stored.version, project: fromFields(stored.fields) };
  }
}
