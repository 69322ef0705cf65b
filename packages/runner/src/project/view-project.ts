import type { Project } from '@baton/operations';
import { BatonError, nearestName } from '@baton/protocol';
import type { TenantStore } from '@baton/store';
import { readProject } from './read-project.ts';

/** Keys are compared by their ends, which tell paths apart. */
const COMPARED_LENGTH = 64;

/**
 * What `view` makes of the project as it is now; only what it looks at is read. `undefined` is one that does not exist.
 * Errors: those of `view`; `project_not_found` names the nearest key that the tenant has.
 */
export async function viewProject<T>(
  tenant: TenantStore,
  name: string,
  view: (project: Project | undefined) => T,
): Promise<T> {
  try {
    return await readProject(tenant.projects, name, view);
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.code !== 'project_not_found') throw thrown;
    const known = new Map((await tenant.projects.names()).map((key) => [key.slice(-COMPARED_LENGTH), key]));
    const nearest = known.get(nearestName(name.slice(-COMPARED_LENGTH), known.keys()) ?? '');
    if (nearest === undefined) throw thrown;
    const message = `${thrown.message} Did you mean '${nearest}'?`;
    throw new BatonError(thrown.code, message, { ...thrown.details, nearest });
  }
}
