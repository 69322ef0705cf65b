import type { Scope } from '@baton/protocol';
import type { Identity } from '@baton/store';
import { resourceKinds } from './catalog.ts';
import type { DataChange, ResourceKind } from './resource.ts';
import type { Variables } from './uri-template.ts';

/** The resource that a URI names, whether or not it is there. */
export interface Named {
  readonly kind: ResourceKind;
  readonly variables: Variables;
}

export function resourceOf(uri: string): Named | undefined {
  for (const kind of resourceKinds) {
    const variables = kind.template.match(uri);
    if (variables !== undefined) return { kind, variables };
  }
  return undefined;
}

/** Whether what the caller would read there may be another now. May say so in vain, never the other way. */
export function resourceMayChange(
  change: DataChange,
  { kind, variables }: Named,
  identity: Identity,
): boolean {
  return mayReach(identity, kind.need) && maySee(change, identity) && kind.changesWith(change, variables);
}

/** Whether `resources/list` may give this caller other entries now. */
export function listMayChange(change: DataChange, identity: Identity): boolean {
  if (!maySee(change, identity)) return false;
  if (change.kind === 'task') return change.listed;
  const entries = LISTED.some((field) => change.fields.has(field));
  return (
    mayReach(identity, ['mcp']) && (change.created || change.fields.has('meta') || (change.shaped && entries))
  );
}

/** The fields of a project that are entries by being there; `meta` says which tag is the current one. */
const LISTED = ['file', 'rules', 'report'];

function mayReach(identity: Identity, need: readonly Scope[]): boolean {
  return need.some((scope) => identity.scopes.has(scope));
}

/** Projects are the tenant's, tasks their principal's. */
function maySee(change: DataChange, { principal, scopes }: Identity): boolean {
  return change.kind === 'project' || change.principal === principal || scopes.has('agent');
}
