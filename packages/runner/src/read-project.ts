import { projectFromFields, type Project } from '@baton/operations';
import type { TenantStore } from '@baton/store';

/** The project as it is now, or undefined. */
export async function readProject(tenant: TenantStore, name: string): Promise<Project | undefined> {
  const stored = await tenant.projects.read(name);
  return stored && projectFromFields(stored.fields);
}
