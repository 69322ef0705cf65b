import { isRecord } from '@baton/protocol';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { MultiRoundTrip } from '../../call/multi-round-trip.ts';
import { headerMismatch } from './standard-headers.ts';
import { ERROR_STATUSES, HEADER_MISMATCH, MISSING_CAPABILITY, REVISION_OF_2026 } from './revision.ts';

/** What a client of 2026-07-28 sent: a request with what its `_meta` says of it, a notification, or what is refused. */
export type Message2026 =
  | {
      readonly kind: 'request';
      readonly request: JSONRPCRequest;
      readonly clientName: string | undefined;
      readonly logLevel: unknown;
      readonly multiRoundTrip: MultiRoundTrip;
    }
  | { readonly kind: 'notification' }
  | { readonly kind: 'refused'; readonly status: number; readonly error: RpcErrorBody };

/** How a client forces the way in which it is shown requests for an LLM; otherwise its capabilities say. */
const DIALECT_META_KEY = 'baton/dialect';
const DIALECTS: ReadonlySet<unknown> = new Set(['tool', 'input_required']);

interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Revisions are named by their dates. */
const DATE = /^\d{4}-\d\d-\d\d$/;

/** The message of a client of 2026-07-28 or of a later revision; undefined for one of the 2025 revisions. */
export function readMessageOf2026({ headers, body }: FastifyRequest): Message2026 | undefined {
  const version = headers['mcp-protocol-version'] as string | undefined;
  const isNamed = version !== undefined && DATE.test(version) && version >= REVISION_OF_2026;
  if (!isNamed && ![body].flat().some(hasVersion)) return undefined;
  const found = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(headers['mcp-method'] !== undefined && { mcpMethodHeader: String(headers['mcp-method']) }),
  });
  if (found.kind === 'legacy') return undefined;
  if (found.kind === 'reject') {
    const { httpStatus, code, message, data } = found;
    return { kind: 'refused', status: httpStatus, error: { code, message, data } };
  }
  if (found.messageKind === 'notification') return { kind: 'notification' };
  const { message } = found;
  const revision = found.classification.revision ?? 'unknown';
  if (revision !== REVISION_OF_2026) {
    const error = new UnsupportedProtocolVersionError({ supported: [REVISION_OF_2026], requested: revision });
    return refusal(error.code, error.message, error.data);
  }
  const request = message as JSONRPCRequest;
  const mismatch = headerMismatch(request, headers);
  if (mismatch !== undefined) return refusal(HEADER_MISMATCH, mismatch);
  const meta = request.params?._meta as Record<string, unknown>;
  const client = meta[CLIENT_INFO_META_KEY];
  const clientName = isRecord(client) && typeof client['name'] === 'string' ? client['name'] : undefined;
  const dialect = meta[DIALECT_META_KEY];
  if (dialect !== undefined && !DIALECTS.has(dialect)) {
    const one = JSON.stringify(dialect)?.slice(0, 100);
    const all = [...DIALECTS].map((name) => `"${name}"`).join(' or ');
    return refusal(-32602, `_meta["${DIALECT_META_KEY}"] is ${one}; it must be ${all}, or left out.`);
  }
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  const sampling = isRecord(capabilities) ? capabilities['sampling'] : undefined;
  if (dialect === 'input_required' && !isRecord(sampling)) {
    const message = `_meta["${DIALECT_META_KEY}"] is "input_required", and the client's capabilities have no sampling.`;
    return refusal(MISSING_CAPABILITY, message, { requiredCapabilities: { sampling: {} } });
  }
  const multiRoundTrip = {
    takesSampling: isRecord(sampling) && dialect !== 'tool',
    takesTools: isRecord(sampling) && isRecord(sampling['tools']),
    requestState: request.params?.['requestState'],
    inputResponses: request.params?.['inputResponses'],
  };
  return { kind: 'request', request, clientName, logLevel: meta[LOG_LEVEL_META_KEY], multiRoundTrip };
}

function refusal(code: number, message: string, data?: unknown): Message2026 {
  return { kind: 'refused', status: ERROR_STATUSES.get(code) ?? 400, error: { code, message, data } };
}

function hasVersion(message: unknown): boolean {
  const params = isRecord(message) ? message['params'] : undefined;
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta;
}
