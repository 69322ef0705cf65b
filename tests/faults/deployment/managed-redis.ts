import { setTimeout as delay } from 'node:timers/promises';
import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import type { History } from '../checker/history.ts';

/**
 * A kill of the process must not lose what was acknowledged; what it has written is then with the kernel. So the write
 * must come before the reply, which `no` and `always` guarantee. `everysec` may delay the write itself by up to 2 s during
 * an fsync. `no` is used because fsyncs would only add the disk's variance.
 */
const ARGS = ['--appendfsync', 'no'];

/** The Redis of a run; its data survive its process. */
export class ManagedRedis {
  private readonly dir: string;
  private readonly history: History;
  private server: PrivateRedis;

  private constructor(dir: string, history: History, server: PrivateRedis) {
    this.dir = dir;
    this.history = history;
    this.server = server;
  }

  static async start(dir: string, history: History): Promise<ManagedRedis> {
    return new ManagedRedis(dir, history, await startPrivateRedis({ dir, args: ARGS }));
  }

  get url(): string {
    return this.server.url;
  }

  /** Stops the server and starts another one on its data `after` milliseconds later. */
  async restart(signal: 'SIGKILL' | 'SIGTERM', after: number): Promise<void> {
    this.record('out');
    process.kill(this.server.pid, signal);
    await this.server.stop();
    await delay(after);
    this.server = await startPrivateRedis({ dir: this.dir, args: ARGS });
    this.record('back');
  }

  pause(): void {
    this.record('out');
    process.kill(this.server.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.server.pid, 'SIGCONT');
    this.record('back');
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  private record(type: 'out' | 'back'): void {
    this.history.add({ type, target: 'redis' });
  }
}
