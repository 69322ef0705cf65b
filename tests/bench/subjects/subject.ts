import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import type { Endpoint } from '../processes/project-calls.ts';
import { BenchProcess, type ProcessMessage } from './bench-process.ts';

/** What is measured: a script of processes/ and the roles in which it runs. */
export interface Subject {
  readonly name: string;
  /** The protocol of the load client. */
  readonly protocol: keyof typeof NAMES | 'plain';
  readonly script: string;
  readonly roles: readonly (readonly string[])[];
  /** Variables of its processes beside those of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The server that it runs on; by default Redis with an append-only file. */
  readonly startRedis?: () => Promise<PrivateRedis>;
}

const NAMES = {
  baton: ' over MCP',
  delegated: ', delegated call',
  add_task: ', add_task',
  sampling: ', 2025-11-25, sampling',
  directive: ', 2026-07-28, directive',
  input_required: ', 2026-07-28, input required',
  task: ', 2026-07-28, task',
};

/** Baton over MCP, with API keys, tenants and limits. */
export function batonSubject({
  tenants = 1,
  replicas = 1,
  workers,
  protocol = 'baton',
}: {
  tenants?: number;
  replicas?: number;
  workers?: number;
  protocol?: Exclude<Subject['protocol'], 'plain'>;
} = {}): Subject {
  const each = (role: string, length: number, more: (n: number) => string[]) =>
    Array.from({ length }, (_, n) => [role, `${role}${n}`, ...more(n)]);
  return {
    name: `a Baton${NAMES[protocol]}`,
    protocol,
    script: 'serve-baton',
    // The first gateway creates the tenants.
    roles: [
      ...each('gateway', replicas, (n) => [n === 0 ? String(tenants) : '0']),
      ...each('worker', workers ?? replicas, () => []),
    ],
  };
}

/** The control; `atOnce` is the concurrency of its BullMQ worker, whose default is 1. */
export function controlSubject(atOnce = 1): Subject {
  return {
    name: `b control, ${atOnce} at once`,
    protocol: 'plain',
    script: 'serve-bullmq-control',
    roles: [['gateway'], ['worker', String(atOnce)]],
  };
}

export const BASELINE_SUBJECT: Subject = {
  name: 'c baseline',
  protocol: 'plain',
  script: 'serve-lua-baseline',
  roles: [['all']],
};

const startRedisWithAof = () => startPrivateRedis({ args: ['--appendonly', 'yes'] });

/** A started subject, on a private Redis. */
export class RunningSubject {
  readonly redis: PrivateRedis;
  readonly processes: readonly BenchProcess[];
  readonly kind: Subject['protocol'];
  private readonly said: readonly ProcessMessage[];
  private readonly roles: readonly string[];

  private constructor(
    kind: Subject['protocol'],
    redis: PrivateRedis,
    processes: BenchProcess[],
    said: ProcessMessage[],
    roles: readonly string[],
  ) {
    this.roles = roles;
    this.kind = kind;
    this.redis = redis;
    this.processes = processes;
    this.said = said;
  }

  static async start(subject: Subject): Promise<RunningSubject> {
    const { protocol, script, roles, environment, startRedis = startRedisWithAof } = subject;
    const redis = await startRedis();
    const processes: BenchProcess[] = [];
    const said: ProcessMessage[] = [];
    for (const [role = '', ...more] of roles) {
      const one = new BenchProcess(script, [role, redis.url, ...more], environment);
      processes.push(one);
      said.push(await one.nextMessage());
    }
    return new RunningSubject(
      protocol,
      redis,
      processes,
      said,
      roles.map(([role = '']) => role),
    );
  }

  get pids(): number[] {
    return [this.redis.pid, ...this.processes.map(({ pid }) => pid)];
  }

  /** Those of one role: of Redis, of gateways, of workers. */
  pidsOf(role: 'redis' | 'gateway' | 'worker'): number[] {
    if (role === 'redis') return [this.redis.pid];
    const isWorker = role === 'worker';
    return this.processes.filter((_, at) => (this.roles[at] === 'worker') === isWorker).map(({ pid }) => pid);
  }

  /** The keys of its tenants. */
  get keys(): string[] {
    return this.said.flatMap((one) => one.keys ?? []);
  }

  /** Its replicas. */
  get urls(): string[] {
    return this.said.flatMap(({ url }) => url ?? []);
  }

  /** Its first replica and the first tenant's key. */
  get endpoint(): Endpoint {
    const [{ url = '' } = {}] = this.said;
    return { url, key: this.keys[0] ?? '' };
  }

  /** Tasks and jobs that the workers have resumed so far. */
  async countResumed(): Promise<{ tasks: number; jobs: number }> {
    const all = { tasks: 0, jobs: 0 };
    if (this.kind === 'plain') return all;
    for (const one of this.processes) {
      const { tasks, jobs } = await one.readResumed();
      all.tasks += tasks;
      all.jobs += jobs;
    }
    return all;
  }

  /** A load client: it warms up, reports so, loads for `seconds` and reports its measurements. */
  startLoad(concurrency: number, seconds: string, warmSeconds = '12', characters?: number): BenchProcess {
    const urls = this.urls.join(',');
    const keys = this.keys.join(',');
    return new BenchProcess('load-client', [
      this.kind,
      urls,
      keys,
      String(concurrency),
      seconds,
      warmSeconds,
      ...(characters === undefined ? [] : [String(characters)]),
    ]);
  }

  /** Parks `count` calls and leaves them parked. */
  async parkCalls(count: number): Promise<void> {
    const urls = this.urls.join(',');
    const keys = this.keys.join(',');
    const parking = new BenchProcess('load-client', ['park', urls, keys, '32', String(count), '0']);
    await parking.nextMessage();
    await parking.stop();
  }

  async end(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
    await this.redis.stop();
  }
}
