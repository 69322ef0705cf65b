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

  private get(name: string): ProjectSnapshot {
    const known = this.cached.get(name) ?? new ProjectSnapshot(this.projects, name);
    this.cached.set(name, known);
    return known;
  }

  /**
   * Runs a change of a project once no other of this process is under way, upon what the change before it left, or else upon what this
   * segment has read. Who waits next takes the snapshot over; this segment reads anew then.
   */
  async changeInOrder<T>(name: string, change: (snapshot: ProjectSnapshot) => Promise<T>): Promise<T> {
    return this.projects.changeInOrder(name, async (line) => {
      const { left } = line;
      line.left = undefined;
      const snapshot = left instanceof ProjectSnapshot ? left : this.get(name);
      try {
        return await change(snapshot);
      } finally {
        if (line.length > 1) {
          line.left = snapshot;
          this.cached.delete(name);
        } else this.cached.set(name, snapshot);
      }
    });
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
