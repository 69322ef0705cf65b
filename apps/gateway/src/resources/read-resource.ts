import { BatonError, type ErrorCode, truncate } from '@baton/protocol';
import { admitCaller } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { resolveResourceUri } from './resolve-resource-uri.ts';
import { annotationsOf, type Content, type ResourceKind, sizeOf } from './resource-kind.ts';

/** MCP 2025-11-25, server/resources: resource not found. */
const RESOURCE_NOT_FOUND = -32002;

/** Characters of a URI that the facts of an error repeat. */
export const MAX_SHOWN_URI = 2_048;

/** The variables name nothing, or nothing that this caller may see. */
const NOT_FOUND_CODES: ReadonlySet<ErrorCode> = new Set([
  'invalid_arguments',
  'project_not_found',
  'project_task_not_found',
  'tag_not_found',
  'file_not_found',
  'attachment_not_found',
  'task_not_found',
  'interaction_not_found',
  'workflow_not_found',
  'agent_not_found',
]);

/** Reads the resource of a URI. Errors: -32002 with the URI. */
export async function readResource(uri: string, call: AdmittedCall) {
  const fixture = call.services.findFixtureResource?.(uri);
  if (fixture !== undefined) return { contents: [fixture] };
  const named = resolveResourceUri(uri);
  if (named === undefined) throw notFound(uri);
  const { kind, variables } = named;
  await admitCaller(call, kind.access);
  try {
    return { contents: [contentsOf(uri, kind, await kind.read(variables, call))] };
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || !NOT_FOUND_CODES.has(thrown.code)) throw thrown;
    throw notFound(uri, thrown);
  }
}

/** Seed 5, 2.3: contents carry their name, title and annotations; MCP has the rest. */
function contentsOf(uri: string, kind: ResourceKind, content: Content) {
  const { body, title = kind.title, mimeType = kind.mimeType, lastModified } = content;
  return {
    uri,
    name: kind.name,
    title,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...('text' in body ? { text: body.text } : { blob: body.blob.toString('base64') }),
    size: sizeOf(content),
    annotations: annotationsOf(kind, lastModified),
  };
}

function notFound(uri: string, reason?: BatonError): RpcError {
  const explanation = reason === undefined ? '' : `. ${reason.message}`;
  return new RpcError(RESOURCE_NOT_FOUND, `Resource not found: ${truncate(uri, 200)}${explanation}`, {
    ...reason?.toWire(),
    uri: truncate(uri, MAX_SHOWN_URI),
  });
}
