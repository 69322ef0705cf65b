import type { Change } from '@baton/store';
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Access, AdmittedCall } from '../call/call.ts';
import { UriTemplate, type Variables } from './uri-template.ts';

/** What a resource holds. Its type is its kind's unless it says otherwise. */
export interface Content {
  readonly body: { readonly text: string } | { readonly blob: Buffer };
  readonly mimeType?: string;
  readonly title?: string;
  /** ISO 8601, where it is known. */
  readonly lastModified?: string | undefined;
}

/** Values of a variable, for completion; `partial` when there are more than these. */
export interface CompletionValues {
  readonly values: readonly string[];
  readonly partial?: boolean;
}

/** `given` are the other variables, as far as the client has filled them in. */
export type Completion = (given: Variables, call: AdmittedCall) => Promise<CompletionValues>;

/** A change of what resources show. */
export type DataChange = Extract<Change, { kind: 'project' | 'task' | 'workflow' | 'agent' | 'prompt' }>;

/** Changes and resources have topics: a resource may show something else after a change of its topic. */
export type Topic =
  | 'projects'
  | `project ${string}`
  | `task ${string}`
  | `workflow ${string}`
  | `agent ${string}`;

/** One kind of resource: all URIs of one template. */
export interface ResourceKind {
  readonly template: UriTemplate;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Left out where each resource of the kind has its own. */
  readonly mimeType?: string;
  readonly annotations: { readonly audience: ('user' | 'assistant')[]; readonly priority: number };
  readonly access: Access<'edge'>;
  readonly completions: Readonly<Record<string, Completion>>;
  /** What the resource of these variables shows; undefined for what never changes. */
  topic(variables: Variables): Topic | undefined;
  /** Whether the resource may show something else after a change of its topic. */
  mayChangeWith(change: DataChange): boolean;
  /** Errors: those of what the variables name. */
  read(variables: Variables, call: AdmittedCall): Promise<Content>;
}

export function defineResource(spec: Omit<ResourceKind, 'template'> & { template: string }): ResourceKind {
  return { ...spec, template: new UriTemplate(spec.template) };
}

export function jsonBody(value: unknown): Content['body'] {
  return { text: JSON.stringify(value) };
}

/** A resource of a kind as `resources/list` shows it. */
export function resourceEntry(
  kind: ResourceKind,
  variables: Variables,
  about: { name?: string; title?: string; content?: Content; lastModified?: string | undefined } = {},
): Resource {
  const { content } = about;
  const mimeType = content?.mimeType ?? kind.mimeType;
  return {
    uri: kind.template.expand(variables),
    name: about.name ?? kind.name,
    title: about.title ?? content?.title ?? kind.title,
    description: kind.description,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(content === undefined ? {} : { size: sizeOf(content) }),
    annotations: annotationsOf(kind, about.lastModified ?? content?.lastModified),
  };
}

/** In bytes, before any encoding. */
export function sizeOf({ body }: Content): number {
  return 'text' in body ? Buffer.byteLength(body.text) : body.blob.length;
}

const moment = z.iso.datetime({ offset: true });

/** Dates that came in with a file may be any text; clients refuse a whole list for one that is no date. */
export function annotationsOf(kind: ResourceKind, lastModified: string | undefined) {
  return moment.safeParse(lastModified).success && lastModified !== undefined
    ? { ...kind.annotations, lastModified }
    : kind.annotations;
}
