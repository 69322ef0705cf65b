import { isRecord } from '@baton/protocol';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { REVISION_OF_2026 } from './revision.ts';

const MAX_ENVELOPES = 1_000;
/** What is longer is read each time. */
const MAX_LENGTH = 2_000;

const known = new LRUCache<string, true>({ max: MAX_ENVELOPES });

/**
 * Remembers what the SDK has found well-formed: the requests of one client say the same of it, and to read that by the SDK's schema costs a tenth of a
 * call. A request that is plain otherwise need not be read again.
 */
export function noteEnvelope(meta: Readonly<Record<string, unknown>>): void {
  const text = envelopeText(meta);
  if (text.length <= MAX_LENGTH) known.set(text, true);
}

/** A single request of the revision whose envelope is known to be well-formed, by a look at a few fields; undefined for any other. */
export function plainRequestOf2026(body: unknown): JSONRPCRequest | undefined {
  if (!isRecord(body)) return undefined;
  const { jsonrpc, id, method, params, ...others } = body;
  const isRequest =
    jsonrpc === '2.0' &&
    (typeof id === 'string' || Number.isSafeInteger(id)) &&
    typeof method === 'string' &&
    method !== 'initialize' &&
    Object.keys(others).length === 0;
  if (!isRequest || !isRecord(params) || !isRecord(params['_meta'])) return undefined;
  const meta = params['_meta'];
  const { progressToken: token } = meta;
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token)) return undefined;
  if (meta[PROTOCOL_VERSION_META_KEY] !== REVISION_OF_2026 || !known.has(envelopeText(meta)))
    return undefined;
  return body as unknown as JSONRPCRequest;
}

function envelopeText(meta: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([
    meta[CLIENT_INFO_META_KEY],
    meta[CLIENT_CAPABILITIES_META_KEY],
    meta[LOG_LEVEL_META_KEY],
  ]);
}
