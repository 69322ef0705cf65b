import { projectFromFields, type Project } from '@baton/operations';
import { BatonError } from '@baton/protocol';
import type { Outcome } from '@baton/engine';
import type { StoredProject } from '@baton/store';

/** A project and the version that it was read at. */
export interface VersionedProject {
  readonly version: string;
  readonly project: Project;
}

/**
 * The projects that one segment has read or committed. Eight branches that start together share one read, and a branch
 * that follows another's commit sees its result without a read. A commit is fenced by the version: a stale entry makes
 * the commit read again and never loses a change.
 */
export class ProjectCache {
  private readonly cached = new Map<string, Promise<VersionedProject | undefined>>();
  private readonly read: (name: string) => Promise<StoredProject | undefined>;

  constructor(read: (name: string) => Promise<StoredProject | undefined>) {
    this.read = read;
  }

  /** True when `get` needs no read. */
  has(name: string): boolean {
    return this.cached.has(name);
  }

  /** The cached project, read from Redis the first time; undefined where none exists. */
  get(name: string): Promise<VersionedProject | undefined> {
    const project = this.cached.get(name) ?? this.fetch(name);
    this.cached.set(name, project);
    return project;
  }

  /** Reads the project from Redis and replaces the cached one. */
  refresh(name: string): Promise<VersionedProject | undefined> {
    const project = this.fetch(name);
    this.cached.set(name, project);
    return project;
  }

  /** Caches the result of a commit that was applied to `before`; each commit raises the version by one. */
  recordCommit(name: string, before: VersionedProject | undefined, project: Project): void {
    const version = String(Number(before?.version ?? '0') + 1);
    this.cached.set(name, Promise.resolve({ version, project }));
  }

  /** Applies a program's `select` to the project; a `BatonError` that it throws is the effect's outcome. */
  async select(name: string, select: (project: unknown) => unknown): Promise<Outcome> {
    const cached = await this.get(name);
    try {
      return { ok: true, value: select(cached?.project) };
    } catch (thrown) {
      if (!(thrown instanceof BatonError)) throw thrown;
      return { ok: false, error: thrown.toWire() };
    }
  }

  private async fetch(name: string): Promise<VersionedProject | undefined> {
    const stored = await this.read(name);
    return stored && { version: stored.version, project: projectFromFields(stored.fields) };
  }
}
