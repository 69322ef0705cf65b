import { type Store, troubleOf } from '@baton/store';

const EVERY_MS = 5_000;

/** What a role's log is given: pino's, or a test's. */
interface Log {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  info(message: string): void;
}

/**
 * Says in the log when Redis goes, comes back, or has been told to evict (`CONFIG SET`, a failover to a server that is
 * set up otherwise). A process that runs goes on, since ending it would not save what is parked; a gateway is not ready
 * meanwhile, so that whoever watches readiness hears of it before Redis is full. Also says when an operator pauses a queue.
 */
export function watchRedis(
  store: Pick<Store, 'ping' | 'pausedQueues'>,
  log: Log,
  everyMs = EVERY_MS,
): { stop(): void } {
  let known: string | undefined;
  let paused = '';
  const look = async () => {
    const trouble = await store.ping().then(() => undefined, troubleOf);
    if (trouble !== undefined && trouble !== known) log.error({ trouble }, 'redis is not to be trusted now');
    if (trouble === undefined && known !== undefined) log.info('redis is well again');
    known = trouble;
    if (trouble !== undefined) return;
    const queues = (await store.pausedQueues().catch(() => paused.split(' '))).join(' ');
    if (queues !== paused && queues !== '')
      log.warn({ queues }, 'an operator has paused queues: nothing of them is resumed');
    if (queues !== paused && queues === '') log.info('no queue is paused any more');
    paused = queues;
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
