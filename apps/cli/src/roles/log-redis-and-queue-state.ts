import { type Store, unreadyReason } from '@baton/store';

const EVERY_MS = 5_000;
/** While Redis stays unusable, one line in so many milliseconds says so again. */
const REMIND_MS = 60_000;

/** The part of pino's logger that is used. */
interface Log {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  info(message: string): void;
}

/** What is asked. */
interface Watched extends Pick<Store, 'ping' | 'pausedQueues' | 'redisMemory'> {}

/**
 * Logs when Redis becomes unusable (unreachable, without writes, full, or its maxmemory-policy evicts after a `CONFIG SET` or a failover),
 * once a minute while it stays so, when it is usable again, and when an operator pauses or resumes queues. It is the one place that does: calls that fail
 * meanwhile are told to their callers. The process goes on, since ending it would not save parked tasks; a gateway's readiness fails meanwhile.
 */
export function logRedisAndQueueState(
  store: Watched,
  log: Log,
  {
    everyMs = EVERY_MS,
    remindMs = REMIND_MS,
    unavailableReason = () => undefined,
  }: {
    readonly everyMs?: number;
    readonly remindMs?: number;
    /** Why a write of this process found Redis unusable, though it answers and has room. */
    readonly unavailableReason?: () => string | undefined;
  } = {},
): { stop(): void } {
  let outage: { readonly since: number; readonly loggedAt: number } | undefined;
  let paused = '';
  const check = async () => {
    const trouble = await store.ping().then(() => fullReason(store) ?? unavailableReason(), unreadyReason);
    const now = performance.now();
    if (trouble === undefined) {
      if (outage !== undefined) log.info('redis is usable again');
      outage = undefined;
    } else if (outage === undefined || now - outage.loggedAt >= remindMs) {
      const since = outage?.since ?? now;
      log.error({ trouble, forSeconds: Math.round((now - since) / 1_000) }, 'redis is not usable');
      outage = { since, loggedAt: now };
    }
    if (trouble !== undefined) return;
    const queues = (await store.pausedQueues().catch(() => paused.split(' '))).join(' ');
    if (queues !== paused && queues !== '')
      log.warn({ queues }, 'queues are paused by an operator: their tasks are not resumed');
    if (queues !== paused && queues === '') log.info('all paused queues are resumed');
    paused = queues;
  };
  const timer = setInterval(() => void check(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function fullReason({ redisMemory: { refuses, usedShare } }: Watched): string | undefined {
  if (refuses === undefined) return undefined;
  return `redis uses ${Math.round(100 * usedShare)} % of its maxmemory: ${refuses} are refused`;
}
