import type { ProjectUse } from '@baton/store';
import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import { defineResource, jsonBody } from './resource-kind.ts';

/** So many projects are named, the largest first. */
const MAX_PROJECTS = 100;

/** The tenant's limits, and what it has of what they bound. Whoever is refused with `limit_storage` finds here what to delete. */
export const usageResource = defineResource({
  template: 'baton://usage',
  name: 'usage',
  title: 'Limits and use',
  description: 'The limits of the tenant, what it uses of them, and the largest projects.',
  mimeType: 'application/json',
  annotations: { audience: ['user', 'assistant'], priority: 0.3 },
  access: edgeAdmittedAccess(MCP_SCOPE),
  completions: {},
  topic: () => 'projects',
  mayChangeWith: () => true,
  read: async (_variables, { tenant }) => {
    const [{ limits, usage }, { items }] = await Promise.all([tenant.usage(), tenant.projects.page()]);
    const uses = await tenant.projects.uses(items);
    const largest = uses.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_PROJECTS);
    return { body: jsonBody({ limits, usage, projects: largest.map(toProjectEntry) }) };
  },
});

/** A project as lists show it. */
export function toProjectEntry({ name, bytes, lastUsedAt }: ProjectUse) {
  return { projectRoot: name, bytes, ...(lastUsedAt === undefined ? {} : { lastUsedAt }) };
}
