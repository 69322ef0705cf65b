import { isRecord } from '@baton/protocol';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import {
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import { keepEnvelope, plainRequestOf2026 } from './known-envelopes.ts';
import { headerMismatch } from './standard-headers.ts';
import { ERROR_STATUSES, HEADER_MISMATCH, REVISION_OF_2026 } from './revision.ts';

/** What a client of 2026-07-28 sent: a request with what its `_meta` says of it, a notification, or what is refused. */
export type Message2026 =
  | { readonly kind: 'request'; readonly request: JSONRPCRequest; readonly envelope: Envelope }
  | { readonly kind: 'notification' }
  | { readonly kind: 'refused'; readonly status: number; readonly error: RpcErrorBody };

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
  if (isNamed && Array.isArray(body))
    return refusal(-32600, `MCP ${REVISION_OF_2026} and later have no batches: send each message by itself.`);
  const plain = version === REVISION_OF_2026 ? plainRequestOf2026(body) : undefined;
  return plain === undefined
    ? readByClassification(headers, body)
    : toMessage(plain.request, plain.envelope, headers);
}

/** Undefined for a message of the 2025 revisions. */
function readByClassification(headers: FastifyRequest['headers'], body: unknown): Message2026 | undefined {
  const version = headers['mcp-protocol-version'];
  const found = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version !== undefined && { protocolVersionHeader: String(version) }),
    ...(headers['mcp-method'] !== undefined && { mcpMethodHeader: String(headers['mcp-method']) }),
  });
  if (found.kind === 'legacy') return undefined;
  if (found.kind === 'reject') {
    const { httpStatus, code, message, data } = found;
    return { kind: 'refused', status: httpStatus, error: { code, message, data } };
  }
  if (found.messageKind === 'notification') return { kind: 'notification' };
  const revision = found.classification.revision ?? 'unknown';
  if (revision !== REVISION_OF_2026) {
    const error = new UnsupportedProtocolVersionError({ supported: [REVISION_OF_2026], requested: revision });
    return refusal(error.code, error.message, error.data);
  }
  const request = found.message as JSONRPCRequest;
  const meta = request.params?._meta ?? {};
  const envelope = readEnvelope(meta);
  if (!(envelope instanceof RpcError)) keepEnvelope(meta, envelope);
  return toMessage(request, envelope, headers);
}

/** A request whose envelope is well-formed. */
function toMessage(
  request: JSONRPCRequest,
  envelope: Envelope | RpcError,
  headers: FastifyRequest['headers'],
): Message2026 {
  const { params = {} } = request;
  // Of the tasks of 2025-11-25, which a server of this revision leaves out of account.
  if ('task' in params) delete params['task'];
  const mismatch = headerMismatch(request, headers);
  if (mismatch !== undefined) return refusal(HEADER_MISMATCH, mismatch);
  if (envelope instanceof RpcError) return refusal(envelope.code, envelope.message, envelope.data);
  return { kind: 'request', request, envelope };
}

function refusal(code: number, message: string, data?: unknown): Message2026 {
  return { kind: 'refused', status: ERROR_STATUSES.get(code) ?? 400, error: { code, message, data } };
}

function hasVersion(message: unknown): boolean {
  const params = isRecord(message) ? message['params'] : undefined;
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta;
}
