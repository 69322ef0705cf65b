import { unreadyReason } from './redis/redis-errors.ts';
import type { Store } from './store.ts';

/** What readiness is read from. */
export type ReadinessSource = Pick<Store, 'ping' | 'pausedQueues' | 'redisMemory'>;

/** The reply of `/readyz`, of a process that does not drain. */
export interface Readiness {
  readonly status: 200 | 503;
  readonly body: {
    /** `ready`, or why not. */
    readonly status: string;
    /** The queues that an operator has paused. */
    readonly paused?: readonly string[];
    /** What is refused for want of Redis's memory, in words. */
    readonly refuses?: string;
  };
}

/** 503 when Redis cannot be used. Paused queues, and a memory of which only the reserve is left, are named and leave a process ready. */
export async function readReadiness(store: ReadinessSource): Promise<Readiness> {
  try {
    await store.ping();
    const paused = await store.pausedQueues();
    const { refuses } = store.redisMemory;
    return {
      status: 200,
      body: {
        status: 'ready',
        ...(paused.length > 0 ? { paused } : {}),
        ...(refuses === undefined ? {} : { refuses }),
      },
    };
  } catch (error) {
    return { status: 503, body: { status: unreadyReason(error) } };
  }
}
