import type { Scope } from '@baton/protocol';
import { type Identity, maySee } from '@baton/store';
import type { DataChange, ResourceKind, Topic } from './resource-kind.ts';

/** The topics of a change: only resources of these topics may show something else after it. */
export function topicsOfChange(change: DataChange): Topic[] {
  if (change.kind === 'task') return [`task ${change.taskId}`];
  if (change.kind === 'workflow') return [`workflow ${change.workflow}`];
  if (change.kind === 'agent') return [`agent ${change.agent}`];
  // Prompts of the registry are no resources.
  if (change.kind === 'prompt') return [];
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
  if (change.kind === 'workflow' || change.kind === 'agent') return true;
  if (change.kind === 'prompt') return false;
  const entries = LISTED_FIELDS.some((field) => change.fields.has(field));
  return change.created || change.fields.has('meta') || (change.shaped && entries);
}

/** Whether a change of the list is a change of this caller's list. */
export function isListChangeFor(change: DataChange, identity: Identity): boolean {
  return isVisible(change, identity) && (change.kind === 'task' || hasAnyScope(identity, ['mcp']));
}

/** Whether `prompts/list` may have other entries now. */
export function mayChangePromptList(change: DataChange): boolean {
  return change.kind === 'workflow' || change.kind === 'prompt';
}

/** Whether `tools/list` may have other entries now. */
export function mayChangeToolList(change: DataChange): boolean {
  return change.kind === 'agent' && change.tools;
}

/** The fields of a project whose presence makes an entry; `meta` says which tag is the current one. */
const LISTED_FIELDS = ['file', 'rules', 'report'];

function hasAnyScope(identity: Identity, scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => identity.scopes.has(scope));
}

/** Tasks are their principal's, all else is the tenant's. */
function isVisible(change: DataChange, identity: Identity): boolean {
  return change.kind !== 'task' || maySee(identity, change.principal);
}
