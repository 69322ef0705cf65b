import type { Effect, Outcome } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import type { Projects } from '@baton/store';
import { ProjectSnapshot } from './project-snapshot.ts';

type Select = Extract<Effect, { kind: 'read' }>['select'];

/**
 * The projects that one segment has read or committed. Eight branches that start together share what they read, and a branch
 * that follows another's commit sees its result without a read. A commit is fenced by the version: a stale entry makes
 * the commit read again and never loses a change.
 */
export class ProjectSnapshots {
  private readonly cached = new Map<string, ProjectSnapshot>();
  private readonly projects: Projects;

  constructor(projects: Projects) {
    this.projects = projects;
  }

  /** True when `get` has something to go on from. */
  has(name: string): boolean {
    return this.cached.has(name);
  }

  get(name: string): ProjectSnapshot {
    return this.cached.get(name) ?? this.renew(name);
  }

  /** Forgets what was read of a project. */
  renew(name: string): ProjectSnapshot {
    const snapshot = new ProjectSnapshot(this.projects, name);
    this.cached.set(name, snapshot);
    return snapshot;
  }

  /** Applies a program's `select` to the project; a `BatonError` that it throws is the effect's outcome. */
  async select(name: string, select: Select): Promise<Outcome> {
    try {
      return {
        ok: true,
        value: await this.get(name).evaluate((project, limits) => select(project as never, limits)),
      };
    } catch (thrown) {
      if (!(thrown instanceof BatonError) || thrown.row.repeat) throw thrown;
      return { ok: false, error: thrown.toWire() };
    }
  }
}
