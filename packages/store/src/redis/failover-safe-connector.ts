import { SentinelConnector } from 'ioredis';

/**
 * ioredis's connector to the master that Sentinels name, with a fix: a lost connection leaves its failover detector
 * running, and when that detects the failover while the next connection is being made, it aborts it, and ioredis never
 * reconnects again. So the old detector is stopped first.
 */
export class FailoverSafeConnector extends SentinelConnector {
  override connect(...given: Parameters<SentinelConnector['connect']>) {
    const { failoverDetector } = this as unknown as { failoverDetector: { cleanup(): void } | null };
    failoverDetector?.cleanup();
    return super.connect(...given);
  }
}
