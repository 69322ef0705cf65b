import { SentinelConnector } from 'ioredis';

/**
 * ioredis's way to the master that Sentinels name, without its trap: a connection that was lost leaves its failover
 * detector behind, and when that hears of the failover while the next connection is being made, it breaks that off, and
 * ioredis takes it for the end, for ever.
 */
export class FailoverSafeConnector extends SentinelConnector {
  override connect(...given: Parameters<SentinelConnector['connect']>) {
    const { failoverDetector } = this as unknown as { failoverDetector: { cleanup(): void } | null };
    failoverDetector?.cleanup();
    return super.connect(...given);
  }
}
