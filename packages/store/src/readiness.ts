import { setImmediate, setTimeout } from 'node:timers/promises';
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

/** Shorter than probes wait, of which the strictest common one is given up after a second. */
const MAX_MS = 900;

/** 503 when Redis cannot be used, or does not answer within 0.9 s. Paused queues, and a memory of which only the reserve is left, are named and leave a process ready. */
export async function readReadiness(store: ReadinessSource): Promise<Readiness> {
  try {
    const [paused] = await within(MAX_MS, Promise.all([store.pausedQueues(), store.ping()]));
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

/** Errors: those of `reply`, and an Error once it has taken longer. A reply that has come while this process was busy is in time. */
async function within<T>(ms: number, reply: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = async () => {
    await setTimeout(ms, undefined, { signal: ended.signal });
    await setImmediate();
    throw new Error(`No reply within ${ms} ms.`);
  };
  try {
    return await Promise.race([reply, late()]);
  } finally {
    ended.abort();
  }
}
