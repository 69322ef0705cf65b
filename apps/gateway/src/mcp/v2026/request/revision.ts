/** The revision of MCP without sessions: each request says its version, its client and what that can do. */
export const REVISION_OF_2026 = '2026-07-28';

/** MCP 2026-07-28, basic/transports/streamable-http: an error of these codes has an HTTP status of its own. */
export const ERROR_STATUSES: ReadonlyMap<number, number> = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
