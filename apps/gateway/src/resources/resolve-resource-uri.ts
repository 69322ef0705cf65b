import { truncate } from '@baton/protocol';
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

const MAX_SHOWN = 200;

/**
 * Why no values of an unfinished URI of Baton's make it a resource's, with the templates that begin as it does; undefined where some may, and of
 * other schemes. `unknown` stands in it for each value.
 */
export function findUriProblem(uri: string, unknown: string): string | undefined {
  const shown = truncate(uri.replaceAll(unknown, '{{...}}'), MAX_SHOWN);
  if (/[{}]/.test(uri)) return `'${shown}' has single braces, which no URI has; write {{args.<name>}}`;
  if (!uri.startsWith('baton://') || resourceKinds.some(({ template }) => template.mayMatch(uri, unknown)))
    return undefined;
  const near = resourceKinds
    .map(({ template }) => template.text)
    .filter((text) => rootOf(text) === rootOf(uri));
  const there =
    near.length === 0 ? 'resources/templates/list has their templates' : `there are ${near.join(', ')}`;
  return `no resource has the URI '${shown}'; ${there}`;
}

const rootOf = (uri: string) => /^\w+:\/\/\w+/.exec(uri)?.[0];
