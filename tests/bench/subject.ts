import { startPrivateRedis } from '@baton/local-redis';
import type { Endpoint } from './processes/project-calls.ts';
import { BenchProcess, type ProcessMessage } from './bench-process.ts';

/** What takes part, and what it is made of: a script of this folder and the roles in which it runs. */
export interface Subject {
  readonly name: string;
  /** How the client speaks to it. */
  readonly protocol: 'baton' | 'plain';
  readonly script: string;
  readonly roles: readonly (readonly string[])[];
}

/** Baton over MCP, with keys, tenancy and limits on. */
export function batonSubject({
  tenants = 1,
  replicas = 1,
  workers,
}: {
  tenants?: number;
  replicas?: number;
  workers?: number;
} = {}): Subject {
  const each = (role: string, length: number, more: (n: number) => string[]) =>
    Array.from({ length }, (_, n) => [role, `${role}${n}`, ...more(n)]);
  return {
    name: 'a Baton over MCP',
    protocol: 'baton',
    script: 'serve-baton',
    // The first gateway makes the tenants.
    roles: [
      ...each('gateway', replicas, (n) => [n === 0 ? String(tenants) : '0']),
      ...each('worker', workers ?? replicas, () => []),
    ],
  };
}

/** The control's worker runs one job at a time, as BullMQ does unless it is told otherwise, or `atOnce`. */
export function controlSubject(atOnce = 1): Subject {
  return {
    name: `b control, ${atOnce} at once`,
    protocol: 'plain',
    script: 'serve-control',
    roles: [['gateway'], ['worker', String(atOnce)]],
  };
}

export const BASELINE: Subject = {
  name: 'c baseline',
  protocol: 'plain',
  script: 'serve-baseline',
  roles: [['all']],
};

/** A subject that serves, on a Redis of its own with an append-only file. */
export class RunningSubject {
  readonly redis: Awaited<ReturnType<typeof startPrivateRedis>>;
  readonly processes: readonly BenchProcess[];
  readonly kind: Subject['protocol'];
  private readonly said: readonly ProcessMessage[];

  private constructor(
    kind: Subject['protocol'],
    redis: RunningSubject['redis'],
    processes: BenchProcess[],
    said: ProcessMessage[],
  ) {
    this.kind = kind;
    this.redis = redis;
    this.processes = processes;
    this.said = said;
  }

  static async start({ protocol, script, roles }: Subject): Promise<RunningSubject> {
    const redis = await startPrivateRedis({ args: ['--appendonly', 'yes'] });
    const processes: BenchProcess[] = [];
    const said: ProcessMessage[] = [];
    for (const [role = '', ...more] of roles) {
      const one = new BenchProcess(script, [role, redis.url, ...more]);
      processes.push(one);
      said.push(await one.nextMessage());
    }
    return new RunningSubject(protocol, redis, processes, said);
  }

  get pids(): number[] {
    return [this.redis.pid, ...this.processes.map(({ pid }) => pid)];
  }

  /** Where its first replica is, and the first tenant's key. */
  get endpoint(): Endpoint {
    const [{ url = '', keys: [key = ''] = [] } = {}] = this.said;
    return { url, key };
  }

  /** What the workers' jobs have resumed so far. */
  async countResumed(): Promise<{ tasks: number; jobs: number }> {
    const all = { tasks: 0, jobs: 0 };
    if (this.kind !== 'baton') return all;
    for (const one of this.processes) {
      const { tasks, jobs } = await one.readResumed();
      all.tasks += tasks;
      all.jobs += jobs;
    }
    return all;
  }

  /** A client that warms up, says so, loads for `seconds` and says what it measured. */
  startLoad(concurrency: number, seconds: string, warmSeconds = '12'): BenchProcess {
    const urls = this.said.flatMap(({ url }) => url ?? []).join(',');
    const keys = this.said.flatMap((one) => one.keys ?? []).join(',');
    return new BenchProcess('load-client', [
      this.kind,
      urls,
      keys,
      String(concurrency),
      seconds,
      warmSeconds,
    ]);
  }

  /** A client that parks `count` calls and leaves them there. */
  async parkCalls(count: number): Promise<void> {
    const urls = this.said.flatMap(({ url }) => url ?? []).join(',');
    const keys = this.said.flatMap((one) => one.keys ?? []).join(',');
    const parking = new BenchProcess('load-client', ['park', urls, keys, '32', String(count), '0']);
    await parking.nextMessage();
    await parking.stop();
  }

  async end(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
    await this.redis.stop();
  }
}
