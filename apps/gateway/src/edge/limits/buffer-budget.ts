import { BatonError } from '@baton/protocol';
import type { EdgeLimits } from './edge-limits.ts';
import type { EdgeMetrics } from './edge-metrics.ts';

/** Bytes that one body or one reply holds, until they are released. */
export interface HeldBytes {
  readonly key: string;
  readonly bytes: number;
  /** Closes the connection that does not take them. */
  readonly close: () => void;
}

/**
 * The bytes of large bodies that are being received and of large replies that are not read yet, by key and in all. New requests
 * of a key are refused once its bytes reach the bound; requests that began before may exceed it up to twice, and the process's
 * bound: then the connection that has not taken its bytes for the longest is closed, of the key that holds the most.
 */
export class BufferBudget {
  private readonly limits: EdgeLimits;
  private readonly metrics: EdgeMetrics;
  /** By key, in the order in which they came. A key is here only while it holds bytes. */
  private readonly held = new Map<string, { bytes: number; readonly buffers: Set<HeldBytes> }>();
  private bytes = 0;

  constructor(limits: EdgeLimits, metrics: EdgeMetrics) {
    this.limits = limits;
    this.metrics = metrics;
  }

  /** Errors: `limit_buffers` for a key that holds too much already. */
  requireRoom(key: string): void {
    const { bufferBytesPerKey: most } = this.limits;
    const bytes = this.held.get(key)?.bytes ?? 0;
    if (bytes < most) return;
    throw new BatonError(
      'limit_buffers',
      `Bodies under way and unread replies of this key hold ${bytes} bytes, the limit is ${most}. Read replies, and send fewer large requests at once.`,
      { limit: 'bufferBytes', bytes, most, retryAfterMs: 1_000 },
    );
  }

  hold(buffer: HeldBytes): void {
    const held = this.held.get(buffer.key) ?? { bytes: 0, buffers: new Set() };
    held.bytes += buffer.bytes;
    held.buffers.add(buffer);
    this.held.set(buffer.key, held);
    this.count(buffer.bytes);
    const most = 2 * this.limits.bufferBytesPerKey;
    while (held.bytes > most) if (!this.closeOldest(buffer.key, buffer)) break;
    while (this.bytes > this.limits.bufferBytes) if (!this.closeOldest(this.heaviestKey(), buffer)) break;
  }

  release(buffer: HeldBytes): void {
    const held = this.held.get(buffer.key);
    if (held === undefined || !held.buffers.delete(buffer)) return;
    held.bytes -= buffer.bytes;
    if (held.buffers.size === 0) this.held.delete(buffer.key);
    this.count(-buffer.bytes);
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    this.metrics.bufferBytes.set(this.bytes);
  }

  /** False if the key holds nothing but what has just come. */
  private closeOldest(key: string, latest: HeldBytes): boolean {
    for (const buffer of this.held.get(key)?.buffers ?? []) {
      if (buffer === latest) continue;
      this.release(buffer);
      this.metrics.closedConnections.inc({ reason: 'buffers' });
      buffer.close();
      return true;
    }
    return false;
  }

  /** Runs only while the process is over its bound. */
  private heaviestKey(): string {
    let heaviest = '';
    let most = -1;
    for (const [key, { bytes }] of this.held) if (bytes > most) [heaviest, most] = [key, bytes];
    return heaviest;
  }
}
