import { setTimeout as delay } from 'node:timers/promises';
import { BatonProcess, GATEWAY_READY_LINE, WORKER_READY_LINE } from '../../processes/baton-process.ts';
import type { History } from '../checker/history.ts';
import type { RedisProxy } from '../../proxies/redis-proxy.ts';

/**
 * One gateway or worker with its proxy to Redis. It is started again after each exit, as a container runtime would do;
 * the history records when it does not run.
 */
export class SupervisedProcess {
  readonly name: string;
  readonly redisProxy: RedisProxy;
  private readonly entry: string;
  private readonly environment: NodeJS.ProcessEnv;
  private readonly history: History;
  private process: BatonProcess | undefined;

  constructor(
    name: string,
    entry: string,
    environment: NodeJS.ProcessEnv,
    link: RedisProxy,
    history: History,
  ) {
    this.name = name;
    this.entry = entry;
    this.environment = { ...environment, REDIS_URL: link.url, BATON_REPLICA: name };
    this.redisProxy = link;
    this.history = history;
  }

  /** Its base URL; undefined while it does not run. */
  get url(): string | undefined {
    return this.process?.url;
  }

  get output(): readonly string[] {
    return this.process?.output ?? [];
  }

  /** Starts it; tries again while it cannot start because Redis is down. */
  async start(): Promise<void> {
    const role = this.name.startsWith('gateway') ? 'gateway' : 'worker';
    for (let tries = 1; this.process === undefined; tries++) {
      try {
        this.process = await BatonProcess.start(
          role,
          this.environment,
          role === 'gateway' ? GATEWAY_READY_LINE : WORKER_READY_LINE,
          this.entry,
        );
      } catch (error) {
        if (tries === 10) throw error;
        await delay(200);
      }
    }
  }

  /** Stops its process and starts another one `after` milliseconds later. */
  async restart(signal: 'SIGKILL' | 'SIGTERM', after: number): Promise<void> {
    await this.stop(signal);
    await delay(after);
    await this.start();
    this.recordUp();
  }

  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.recordDown();
    const { process: ending } = this;
    this.process = undefined;
    if (ending === undefined) return;
    // A process under SIGSTOP receives only SIGKILL.
    if (signal === 'SIGTERM') ending.child.kill('SIGCONT');
    await ending.stop(signal);
  }

  pause(): void {
    this.recordDown();
    this.process?.child.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.child.kill('SIGCONT');
    this.recordUp();
  }

  recordDown(): void {
    this.history.add({ type: 'out', target: this.name });
  }

  recordUp(): void {
    this.history.add({ type: 'back', target: this.name });
  }
}
