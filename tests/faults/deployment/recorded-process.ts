import { SupervisedProcess } from '../../processes/supervised-process.ts';
import type { RedisProxy } from '../../proxies/redis-proxy.ts';
import type { History } from '../checker/history.ts';

/** A gateway or worker with its proxy to Redis; the history records when it does not run. */
export class RecordedProcess extends SupervisedProcess {
  readonly redisProxy: RedisProxy;
  private readonly history: History;

  constructor(
    role: 'gateway' | 'worker',
    n: number,
    entry: string,
    environment: NodeJS.ProcessEnv,
    redisProxy: RedisProxy,
    history: History,
  ) {
    super(role, n, entry, { ...environment, REDIS_URL: redisProxy.url });
    this.redisProxy = redisProxy;
    this.history = history;
  }

  override async restart(signal: 'SIGKILL' | 'SIGTERM', after: number): Promise<void> {
    this.recordDown();
    await super.restart(signal, after);
    this.recordUp();
  }

  override pause(): void {
    this.recordDown();
    super.pause();
  }

  override resume(): void {
    super.resume();
    this.recordUp();
  }

  recordDown(): void {
    this.history.add({ type: 'out', target: this.name });
  }

  recordUp(): void {
    this.history.add({ type: 'back', target: this.name });
  }
}
