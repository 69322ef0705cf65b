import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A line of JSON that a process of the benchmark prints. */
export interface ProcessMessage {
  readonly url?: string;
  readonly keys?: string[];
  readonly heap?: number;
  /** Tasks resumed by BullMQ jobs of this process, and the number of jobs. */
  readonly resumed?: { readonly tasks: number; readonly jobs: number };
  readonly trips?: number;
  readonly perSecond?: number;
  readonly p50?: number;
  readonly p99?: number;
  /** Of a delegated request, as JSON, on average. */
  readonly requestBytes?: number;
  /** Milliseconds until the first and the last session had heard of a change. */
  readonly first?: number;
  readonly last?: number;
  readonly resumes?: { ms: number; entries: number }[];
}

/** A child process: one of the built scripts of processes/. */
export class BenchProcess {
  readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor(script: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const path = new URL(`./${script}.js`, import.meta.url).pathname;
    // The flag of Baton's image, for every subject. A session of its own, as a container has a cgroup of its own: Linux
    // shares CPU time between sessions, and the private Redis has one too.
    this.child = spawn(process.execPath, ['--max-semi-space-size=64', '--expose-gc', path, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: { ...process.env, ...environment, NODE_ENV: 'production' },
    });
    if (this.child.stdout === null) throw new Error('no output');
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async nextMessage(): Promise<ProcessMessage> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('a process of the benchmark exited');
    return JSON.parse(value) as ProcessMessage;
  }

  /** Bytes of its heap in use after a garbage collection. */
  async readHeap(): Promise<number> {
    this.child.stdin?.write('\n');
    return (await this.nextMessage()).heap ?? 0;
  }

  /** What it has resumed so far, if it is a worker. */
  async readResumed(): Promise<NonNullable<ProcessMessage['resumed']>> {
    this.child.stdin?.write('\n');
    return (await this.nextMessage()).resumed ?? { tasks: 0, jobs: 0 };
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await exited;
  }
}

/** User and system time of processes, in microseconds. */
export function cpuMicroseconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10_000;
}
