import { resourceKinds } from './catalog.ts';
import type { ResourceKind } from './resource-kind.ts';
import type { Variables } from './uri-template.ts';

/** The resource that a URI names, whether or not it is there. */
export interface ResolvedUri {
  readonly kind: ResourceKind;
  readonly variables: Variables;
}

export function resolveResourceUri(uri: string): ResolvedUri | undefined {
  for (const kind of resourceKinds) {
    const variables = kind.template.match(uri);
    if (variables !== undefined) return { kind, variables };
  }
  return undefined;
}
