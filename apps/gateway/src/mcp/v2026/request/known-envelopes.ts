import { isRecord } from '@baton/protocol';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { DIALECT_META_KEY } from '../../../call/dialect-choice.ts';
import type { Envelope } from './envelope.ts';
import { REVISION_OF_2026 } from './revision.ts';

const MAX_ENVELOPES = 1_000;
/** What is longer is read each time. */
const MAX_LENGTH = 2_000;

const known = new LRUCache<string, Envelope>({ max: MAX_ENVELOPES });

/**
 * Keeps what was read of a `_meta` that the SDK has found well-formed: the requests of one client say the same of it, and to read that by the SDK's schema
 * costs a tenth of a call. A request that is plain otherwise need not be read again.
 */
export function keepEnvelope(meta: Readonly<Record<string, unknown>>, envelope: Envelope): void {
  const text = envelopeText(meta);
  if (text.length <= MAX_LENGTH) known.set(text, envelope);
}

interface PlainRequest {
  readonly request: JSONRPCRequest;
  readonly envelope: Envelope;
}

/** A single request of the revision whose envelope is known, by a look at a few fields; undefined for any other. */
export function plainRequestOf2026(body: unknown): PlainRequest | undefined {
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
  if (meta[PROTOCOL_VERSION_META_KEY] !== REVISION_OF_2026) return undefined;
  const envelope = known.get(envelopeText(meta));
  return envelope && { request: body as unknown as JSONRPCRequest, envelope };
}

/** All that `readEnvelope` reads. What is left out is told from null. */
function envelopeText(meta: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    client: meta[CLIENT_INFO_META_KEY],
    capabilities: meta[CLIENT_CAPABILITIES_META_KEY],
    logLevel: meta[LOG_LEVEL_META_KEY],
    dialect: meta[DIALECT_META_KEY],
  });
}
