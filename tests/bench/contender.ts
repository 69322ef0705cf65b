import { startPrivateRedis } from '@baton/local-redis';
import type { At } from './plan.ts';
import { Process, type Said } from './process.ts';

/** What takes part, and what it is made of: a script of this folder and the roles in which it runs. */
export interface Contender {
  readonly name: string;
  /** How the client speaks to it. */
  readonly kind: 'baton' | 'plain';
  readonly script: string;
  readonly roles: readonly (readonly string[])[];
}

/** Baton over MCP, with keys, tenancy and limits on. */
export function baton({
  tenants = 1,
  replicas = 1,
  workers,
}: {
  tenants?: number;
  replicas?: number;
  workers?: number;
} = {}): Contender {
  const each = (role: string, length: number, more: (n: number) => string[]) =>
    Array.from({ length }, (_, n) => [role, `${role}${n}`, ...more(n)]);
  return {
    name: 'a Baton over MCP',
    kind: 'baton',
    script: 'serve-baton',
    // The first gateway makes the tenants.
    roles: [
      ...each('gateway', replicas, (n) => [n === 0 ? String(tenants) : '0']),
      ...each('worker', workers ?? replicas, () => []),
    ],
  };
}

/** The control's worker runs one job at a time, as BullMQ does unless it is told otherwise, or `atOnce`. */
export function control(atOnce = 1): Contender {
  return {
    name: `b control, ${atOnce} at once`,
    kind: 'plain',
    script: 'serve-control',
    roles: [['gateway'], ['worker', String(atOnce)]],
  };
}

export const FLOOR: Contender = { name: 'c floor', kind: 'plain', script: 'serve-floor', roles: [['all']] };

/** A contender that serves, on a Redis of its own with an append-only file. */
export class Serving {
  readonly redis: Awaited<ReturnType<typeof startPrivateRedis>>;
  readonly processes: readonly Process[];
  readonly kind: Contender['kind'];
  private readonly said: readonly Said[];

  private constructor(kind: Contender['kind'], redis: Serving['redis'], processes: Process[], said: Said[]) {
    this.kind = kind;
    this.redis = redis;
    this.processes = processes;
    this.said = said;
  }

  static async start({ kind, script, roles }: Contender): Promise<Serving> {
    const redis = await startPrivateRedis({ args: ['--appendonly', 'yes'] });
    const processes: Process[] = [];
    const said: Said[] = [];
    for (const [role = '', ...more] of roles) {
      const one = new Process(script, [role, redis.url, ...more]);
      processes.push(one);
      said.push(await one.next());
    }
    return new Serving(kind, redis, processes, said);
  }

  get pids(): number[] {
    return [this.redis.pid, ...this.processes.map(({ pid }) => pid)];
  }

  /** Where its first replica is, and the first tenant's key. */
  get at(): At {
    const [{ url = '', keys: [key = ''] = [] } = {}] = this.said;
    return { url, key };
  }

  /** What the workers' jobs have resumed so far. */
  async resumed(): Promise<{ tasks: number; jobs: number }> {
    const all = { tasks: 0, jobs: 0 };
    if (this.kind !== 'baton') return all;
    for (const one of this.processes) {
      const { tasks, jobs } = await one.resumed();
      all.tasks += tasks;
      all.jobs += jobs;
    }
    return all;
  }

  /** A client that warms up, says so, loads for `seconds` and says what it measured. */
  client(concurrency: number, seconds: string, warmSeconds = '12'): Process {
    const urls = this.said.flatMap(({ url }) => url ?? []).join(',');
    const keys = this.said.flatMap((one) => one.keys ?? []).join(',');
    return new Process('client', [this.kind, urls, keys, String(concurrency), seconds, warmSeconds]);
  }

  /** A client that parks `count` calls and leaves them there. */
  async park(count: number): Promise<void> {
    const urls = this.said.flatMap(({ url }) => url ?? []).join(',');
    const keys = this.said.flatMap((one) => one.keys ?? []).join(',');
    const parking = new Process('client', ['park', urls, keys, '32', String(count), '0']);
    await parking.next();
    await parking.end();
  }

  async end(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.end()));
    await this.redis.stop();
  }
}
