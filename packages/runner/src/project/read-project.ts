import type { ReadLimits } from '@baton/engine';
import type { Project } from '@baton/operations';
import type { Projects } from '@baton/store';
import { withSnapshot } from './shared-snapshot.ts';

/**
 * What `select` makes of the project as it was at `since`, a time of `performance.now()`, or later; only what it looks at is read.
 * `undefined` is a project that does not exist. `select` is pure: it may run several times. Errors: its own, `unavailable`.
 */
export function readProject<T>(
  projects: Projects,
  name: string,
  select: (project: Project | undefined, limits: ReadLimits) => T,
  since: number = performance.now(),
): Promise<T> {
  return withSnapshot(projects, name, async (snapshot) => {
    await snapshot.refresh(since);
    return snapshot.evaluate(select);
  });
}
