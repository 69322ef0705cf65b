import type { Scope } from '@baton/protocol';
import type { Identity } from '@baton/store';
import { resourceKinds } from './catalog.ts';
import type { DataChange, ResourceKind, Topic } from './resource-kind.ts';
import type { Variables } from './uri-template.ts';

/** The resource that a URI names, whether or not it is there. */
export interface ResolvedUri {
  readonly kind: ResourceKind;
  readonly variables: Variables;
}

export function resolveUri(uri: string): ResolvedUri | undefined {
  for (const kind of resourceKinds) {
    const variables = kind.template.match(uri);
    if (variables !== undefined) return { kind, variables };
  }
  return undefined;
}

/** What a change is of: whatever shows something else may do so only where it shows one of these. */
export function topicsOfChange(change: DataChange): Topic[] {
  if (change.kind === 'task') return [`task ${change.taskId}`];
  const project: Topic = `project ${change.project}`;
  return change.created ? [project, 'projects'] : [project];
}

/** Whether what the caller would read there may be another after a change of its topic. May say so in vain, never the other way. */
export function resourceMayChange(change: DataChange, kind: ResourceKind, identity: Identity): boolean {
  return hasAnyScope(identity, kind.access.scopes) && maySee(change, identity) && kind.mayChangeWith(change);
}

/** Whether `resources/list` may give anyone other entries now. */
export function changesResourceList(change: DataChange): boolean {
  if (change.kind === 'task') return change.listed;
  const entries = LISTED_FIELDS.some((field) => change.fields.has(field));
  return change.created || change.fields.has('meta') || (change.shaped && entries);
}

/** Whether a change of the list is one of this caller's. */
export function isListChangeFor(change: DataChange, identity: Identity): boolean {
  return maySee(change, identity) && (change.kind === 'task' || hasAnyScope(identity, ['mcp']));
}

/** The fields of a project that are entries by being there; `meta` says which tag is the current one. */
const LISTED_FIELDS = ['file', 'rules', 'report'];

function hasAnyScope(identity: Identity, need: readonly Scope[]): boolean {
  return need.some((scope) => identity.scopes.has(scope));
}

/** Projects are the tenant's, tasks their principal's. */
function maySee(change: DataChange, { principal, scopes }: Identity): boolean {
  return change.kind === 'project' || change.principal === principal || scopes.has('agent');
}
