import { BatonError } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toolsHeaderShape } from '../../tool-listing/requested-tools.ts';
import { CONTINUED_TASK_META_KEY, type Continuation } from '../../workflows/continue-workflow.ts';
import type { RequestMeta } from '../../call/call.ts';

/** What a client of MCP puts into `_meta` of a call, as headers of a request. */
const META_HEADERS = [
  { header: 'Idempotency-Key', metaKey: 'baton/idempotencyKey', most: 200 },
  { header: 'Baton-Workflow-Task', metaKey: CONTINUED_TASK_META_KEY, most: 100 },
] as const;

/** Where a response says what became of its call in the workflow that it was made for: `_meta["baton/continuation"]` of MCP, as JSON. */
const CONTINUATION_HEADER = 'Baton-Continuation';

const idempotencyKeyHeader = z.string().optional();

/** As the OpenAPI document describes them. */
export const callHeadersSchema = z.looseObject({
  'idempotency-key': idempotencyKeyHeader.describe(
    'A repeat with the same key gives the same task and result; `_meta["baton/idempotencyKey"]` of MCP is the same key',
  ),
  ...toolsHeaderShape,
  'baton-workflow-task': z
    .string()
    .optional()
    .describe('The task of the workflow that the call is made for; `_meta._task_id` of MCP'),
});

/** The same of a route that changes a project. */
export const projectChangeHeadersSchema = z.looseObject({
  'idempotency-key': idempotencyKeyHeader.describe(
    'A repeat with the same key changes nothing, and gives the first result',
  ),
});

/** The `_meta` that the headers of a request stand for. Errors: `invalid_arguments` naming the header. */
export function metaOfHeaders({ raw }: FastifyRequest): RequestMeta {
  const meta: Record<string, string> = {};
  for (const { header, metaKey, most } of META_HEADERS) {
    const values = raw.headersDistinct[header.toLowerCase()];
    if (values !== undefined) meta[metaKey] = readHeader(header, values, most);
  }
  return meta;
}

/** Printable ASCII: other bytes would be read as another text than MCP reads. */
const PRINTABLE = /^[\x20-\x7e]+$/;

function readHeader(header: string, values: readonly string[], most: number): string {
  const [first = ''] = values;
  // A string of RFC 9651 has quotes, as the IETF's draft of Idempotency-Key writes it; most clients send a bare text.
  const text = /^"((?:[^"\\]|\\["\\])*)"$/.exec(first)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? first;
  if (values.length === 1 && PRINTABLE.test(text) && text.length <= most) return text;
  throw new BatonError(
    'invalid_arguments',
    `${header}: must be given once, with 1 to ${most} printable ASCII characters`,
    { field: header },
  );
}

export function sendContinuation(reply: FastifyReply, continuation: Continuation | undefined): void {
  if (continuation === undefined) return;
  // Names of steps are ASCII, as a header is.
  reply.header(CONTINUATION_HEADER, JSON.stringify(continuation));
}
