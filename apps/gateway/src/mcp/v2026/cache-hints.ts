import type { ServerOptions } from '@modelcontextprotocol/server';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * How long what a server lists may be kept by its client (MCP 2026-07-28, server/utilities/caching). What depends on the caller's key
 * and tenant is private; what a tenant changes is asked for again after a minute, and resources, which tasks change, each time.
 */
export const CACHE_HINTS: NonNullable<ServerOptions['cacheHints']> = {
  'server/discover': { ttlMs: HOUR_MS, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: HOUR_MS, cacheScope: 'public' },
  'tools/list': { ttlMs: MINUTE_MS, cacheScope: 'private' },
  'prompts/list': { ttlMs: MINUTE_MS, cacheScope: 'private' },
  'resources/list': { ttlMs: 0, cacheScope: 'private' },
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
};
