/** What one gateway holds, and what refusals cost, before and beside the limits of tenants. */
export interface EdgeLimits {
  /** Open connections. */
  readonly connections: number;
  /** Of one address (an IPv6 /64); behind a trusted proxy, its requests under way. */
  readonly connectionsPerAddress: number;
  /** Connections with a request of one key under way: held calls, streams, replies that are not read yet. */
  readonly connectionsPerKey: number;
  /** Bytes of large bodies that are being received, and of large replies that are not read yet. */
  readonly bufferBytes: number;
  readonly bufferBytesPerKey: number;
  /** A connection that takes none of the bytes that wait for it for as long is closed. */
  readonly writeStallMs: number;
  /** A request, its body included, is to be here within so long, and half as long again at most. */
  readonly requestMs: number;
  /** What an address, and a key, may cause per second in refused requests before its refusals are slowed; 32 s at once. */
  readonly refusedBytesPerSecond: number;
  /** Wrong credentials of an address before their refusals are slowed; 20 s of them at once. */
  readonly wrongCredentialsPerSecond: number;
}

export const DEFAULT_EDGE_LIMITS: EdgeLimits = {
  connections: 10_000,
  connectionsPerAddress: 2_000,
  connectionsPerKey: 2_000,
  bufferBytes: 268_435_456,
  bufferBytesPerKey: 33_554_432,
  writeStallMs: 30_000,
  requestMs: 60_000,
  refusedBytesPerSecond: 262_144,
  wrongCredentialsPerSecond: 1,
};
