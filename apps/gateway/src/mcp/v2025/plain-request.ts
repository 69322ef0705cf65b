import { isRecord } from '@baton/protocol';
import {
  type JSONRPCRequest,
  ProgressTokenSchema,
  RELATED_TASK_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyRequest } from 'fastify';

/**
 * A single well-formed request other than `initialize`, with a protocol version that is known or left out, which nearly every body
 * is. Undefined for everything else: a look at a few fields, where the SDK's schema would read the whole.
 */
export function parsePlainRequest({ body, headers }: FastifyRequest): JSONRPCRequest | undefined {
  const rpc = body as Partial<JSONRPCRequest> | null | undefined;
  if (rpc?.jsonrpc !== '2.0' || typeof rpc.method !== 'string') return undefined;
  if (rpc.method === 'initialize') return undefined;
  if (typeof rpc.id !== 'string' && !Number.isSafeInteger(rpc.id)) return undefined;
  if (
    rpc.params !== undefined &&
    (typeof rpc.params !== 'object' || rpc.params === null || Array.isArray(rpc.params))
  )
    return undefined;
  if (Object.keys(rpc).some((key) => !RPC_KEYS.has(key))) return undefined;
  const meta = rpc.params?._meta;
  // Of _meta, the SDK's server reads these two: a wrong one would be no request to it, and never be answered.
  if (meta !== undefined && (!isRecord(meta) || RELATED_TASK_META_KEY in meta)) return undefined;
  if (
    meta !== undefined &&
    'progressToken' in meta &&
    !ProgressTokenSchema.safeParse(meta.progressToken).success
  )
    return undefined;

  const { 'mcp-protocol-version': version } = headers;
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return undefined;
  return rpc as JSONRPCRequest;
}

const RPC_KEYS = new Set(['jsonrpc', 'id', 'method', 'params']);
