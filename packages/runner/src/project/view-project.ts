import type { Project } from '@baton/operations';
import type { TenantStore } from '@baton/store';
import { ProjectSnapshot } from './project-snapshot.ts';

/** What `view` makes of the project as it is now; only what it looks at is read. `undefined` is one that does not exist. */
export async function viewProject<T>(
  tenant: TenantStore,
  name: string,
  view: (project: Project | undefined) => T,
): Promise<T> {
  return new ProjectSnapshot(tenant.projects, name).evaluate(view);
}
