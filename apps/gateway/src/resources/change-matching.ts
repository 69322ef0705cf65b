import type { Scope } from '@baton/protocol';
import { type Identity, maySee } from '@baton/store';
import type { DataChange, ResourceKind, Topic } from './resource-kind.ts';

/** The topics of a change: only resources of these topics may show something else after it. */
export function topicsOfChange(change: DataChange): Topic[] {
  if (change.kind === 'task') return [`task ${change.taskId}`];
  if (change.kind === 'workflow') return [`workflow ${change.workflow}`];
  const project: Topic = `project ${change.project}`;
  return change.created ? [project, 'projects'] : [project];
}

/** Whether the caller may read something else there after a change of its topic. False positives occur, false negatives never. */
export function resourceMayChange(change: DataChange, kind: ResourceKind, identity: Identity): boolean {
  return (
    hasAnyScope(identity, kind.access.scopes) && isVisible(change, identity) && kind.mayChangeWith(change)
  );
}

/** Whether `resources/list` may have other entries now, for anyone. */
export function mayChangeResourceList(change: DataChange): boolean {
  if (change.kind === 'task') return change.listed;
  if (change.kind === 'workflow') return true;
  const entries = LISTED_FIELDS.some((field) => change.fields.has(field));
  return change.created || change.fields.has('meta') || (change.shaped && entries);
}

/** Whether a change of the list is a change of this caller's list. */
export function isListChangeFor(change: DataChange, identity: Identity): boolean {
  return isVisible(change, identity) && (change.kind === 'task' || hasAnyScope(identity, ['mcp']));
}

/** The fields of a project whose presence makes an entry; `meta` says which tag is the current one. */
const LISTED_FIELDS = ['file', 'rules', 'report'];

function hasAnyScope(identity: Identity, scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => identity.scopes.has(scope));
}

/** Projects and workflows are the tenant's, tasks their principal's. */
function isVisible(change: DataChange, identity: Identity): boolean {
  return change.kind !== 'task' || maySee(identity, change.principal);
}
