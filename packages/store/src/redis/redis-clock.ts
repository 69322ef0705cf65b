import type { Cluster, Redis } from 'ioredis';
import { mastersOf } from './redis-client.ts';

const REFRESH_INTERVAL_MS = 1_000;

/** A longer round trip says too little of when Redis read its clock. */
const MAX_ROUND_TRIP_MS = 1_000;

/**
 * The time by Redis, which is one for all processes, without a round trip: what Redis said within the last seconds, carried on by this process's
 * monotonic clock. It is off by half a round trip at most.
 */
export class RedisClock {
  private readonly client: Redis | Cluster;
  /** What `performance.now()` is to be added to. */
  private origin = performance.timeOrigin;
  private readonly timer: NodeJS.Timeout;

  constructor(client: Redis | Cluster) {
    this.client = client;
    this.timer = setInterval(() => void this.refresh().catch(() => {}), REFRESH_INTERVAL_MS).unref();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Math.floor(this.origin + performance.now());
  }

  /** Asks Redis for its time. Errors: those of the client. */
  async refresh(): Promise<void> {
    const asked = performance.now();
    const [seconds = 0, micros = 0] = ((await mastersOf(this.client)[0]?.time()) ?? []).map(Number);
    const answered = performance.now();
    if (seconds === 0 || answered - asked > MAX_ROUND_TRIP_MS) return;
    this.origin = seconds * 1_000 + micros / 1_000 - (asked + answered) / 2;
  }

  close(): void {
    clearInterval(this.timer);
  }
}
