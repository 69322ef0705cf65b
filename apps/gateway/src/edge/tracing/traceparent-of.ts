import { isRecord } from '@baton/protocol';
import { parseTraceparent } from '@baton/tracing';
import type { FastifyRequest } from 'fastify';

/**
 * The trace that a request's caller goes on in: as its `_meta` says (MCP 2026-07-28, basic, Trace Context), which proxies leave alone,
 * and otherwise its header. Undefined where neither is a `traceparent`.
 */
export function traceparentOf({
  body,
  headers,
}: Pick<FastifyRequest, 'body' | 'headers'>): string | undefined {
  const params = isRecord(body) ? body['params'] : undefined;
  const meta = isRecord(params) ? params['_meta'] : undefined;
  const given = [isRecord(meta) ? meta['traceparent'] : undefined, headers['traceparent']];
  return given.find((text) => parseTraceparent(text) !== undefined) as string | undefined;
}
