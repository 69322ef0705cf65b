import { BatonError } from '@baton/protocol';
import type { Projects } from '@baton/store';
import { ProjectSnapshot } from './project-snapshot.ts';

/** Left by a holder that Redis did not answer: who waited by then is not answered either. */
class Outage {
  readonly size = 0;
  readonly at = performance.now();
  readonly error: BatonError;

  constructor(error: BatonError) {
    this.error = error;
  }
}

/**
 * Works on what this process has read of a project, one call at a time in the order of the calls. What one call reads or commits the
 * next one has; nobody else works on the snapshot meanwhile. Errors: those of `work`; `unavailable` where a call before this one waited
 * for Redis in vain.
 */
export async function withSnapshot<T>(
  projects: Projects,
  name: string,
  work: (snapshot: ProjectSnapshot) => Promise<T>,
): Promise<T> {
  const came = performance.now();
  return projects.withProjectMutex(name, async (held) => {
    const { state } = held;
    if (state instanceof Outage && state.at > came) throw state.error;
    held.state = undefined;
    const snapshot = state instanceof ProjectSnapshot ? state : new ProjectSnapshot(projects, name);
    try {
      const result = await work(snapshot);
      if (snapshot.version !== undefined) held.state = snapshot;
      return result;
    } catch (thrown) {
      if (isOutage(thrown)) held.state = new Outage(thrown);
      else if (thrown instanceof BatonError && snapshot.version !== undefined) held.state = snapshot;
      throw thrown;
    }
  });
}

/** A refused write is none: reads are answered then. */
function isOutage(thrown: unknown): thrown is BatonError {
  return thrown instanceof BatonError && thrown.code === 'unavailable' && thrown.details['taken'] !== false;
}
