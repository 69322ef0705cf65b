import { setTimeout as delay } from 'node:timers/promises';
import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import type { History } from '../checker/history.ts';

/**
 * What is acknowledged must survive a kill of the process, which leaves what it has written in the kernel's hands. So
 * what counts is that the write comes before the reply. With `no` and `always` it does; `everysec` is the one setting
 * that puts the write itself off, for up to 2 s while an fsync is under way, and replies all the same. Between the two,
 * fsyncs would only add the disk's moods to the run.
 */
const ARGS = ['--appendfsync', 'no'];

/** The one Redis of a run, whose data outlive its process. */
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

  /** Ends the server and starts another one on its data `after` milliseconds later. */
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
