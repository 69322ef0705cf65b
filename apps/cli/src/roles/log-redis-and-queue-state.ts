import { type Store, unreadyReason } from '@baton/store';

const EVERY_MS = 5_000;

/** The part of pino's logger that is used. */
interface Log {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  info(message: string): void;
}

/**
 * Logs when Redis becomes unusable (unreachable, or its maxmemory-policy evicts after a `CONFIG SET` or a failover),
 * when it is usable again, and when an operator pauses or resumes queues. The process goes on, since ending it would
 * not save parked tasks; a gateway's readiness fails meanwhile.
 */
export function logRedisAndQueueState(
  store: Pick<Store, 'ping' | 'pausedQueues'>,
  log: Log,
  everyMs = EVERY_MS,
): { stop(): void } {
  let reported: string | undefined;
  let paused = '';
  const check = async () => {
    const trouble = await store.ping().then(() => undefined, unreadyReason);
    if (trouble !== undefined && trouble !== reported) log.error({ trouble }, 'redis is not usable');
    if (trouble === undefined && reported !== undefined) log.info('redis is usable again');
    reported = trouble;
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
