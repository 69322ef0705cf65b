import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The stored form of an API key: its HMAC-SHA256 with the deployment's secret, so that a copy of Redis admits nobody. */
export function apiKeyDigest(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('base64url');
}

/** The digests of recent keys, since the same keys call again and again. Whether a key is valid is never cached. */
const MAX_CACHED = 1_000;
const cache = new LRUCache<string, { readonly pepper: string; readonly digest: string }>({ max: MAX_CACHED });

export function cachedApiKeyDigest(key: string, pepper: string): string {
  const cached = cache.get(key);
  if (cached?.pepper === pepper) return cached.digest;
  const digest = apiKeyDigest(key, pepper);
  cache.set(key, { pepper, digest });
  return digest;
}
