import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { History } from '../checker/history.ts';
import { RedisProxy } from '../../proxies/redis-proxy.ts';
import { RecordedProcess } from './recorded-process.ts';
import { ManagedRedis } from './managed-redis.ts';
import { createTemporaryFolder } from '../../processes/temporary-folder.ts';
import { tryRequestJson } from '../../harness/http-request.ts';
import { PROCESS_ENVIRONMENT, OPERATOR_TOKEN, UNLIMITED } from '../../processes/process-settings.ts';

export const TENANT_ID = 'faults';

export interface ProxiedDeploymentOptions {
  /** The built command. */
  readonly entry: string;
  /** Lifetimes of the tasks and interactions of each gateway in milliseconds; by default longer than any run. */
  readonly gateways: readonly { readonly task?: number; readonly interaction?: number }[];
  readonly workers: number;
}

/** Gateways and workers as real processes on a private Redis, each with a proxy between it and Redis. */
export class ProxiedDeployment {
  readonly redis: ManagedRedis;
  readonly gateways: readonly RecordedProcess[];
  readonly workers: readonly RecordedProcess[];
  private readonly dir: string;
  apiKey = '';

  private constructor(
    dir: string,
    redis: ManagedRedis,
    gateways: RecordedProcess[],
    workers: RecordedProcess[],
  ) {
    this.dir = dir;
    this.redis = redis;
    this.gateways = gateways;
    this.workers = workers;
  }

  /** Starts Redis and the gateways, creates the tenant and its key, and starts the workers unless `idle`. */
  static async start(
    options: ProxiedDeploymentOptions,
    history: History,
    { idle = false } = {},
  ): Promise<ProxiedDeployment> {
    const dir = createTemporaryFolder('faults');
    const redis = await ManagedRedis.start(join(dir, 'redis'), history);
    const createProcess = async (role: 'gateway' | 'worker', n: number, more: NodeJS.ProcessEnv) => {
      const proxy = await RedisProxy.open(join(dir, `${role}-${n}.sock`), redis.url.replace('unix://', ''));
      const environment = { ...PROCESS_ENVIRONMENT, ...more };
      return new RecordedProcess(role, n, options.entry, environment, proxy, history);
    };
    const gateways = await Promise.all(
      options.gateways.map(({ task = 3_600_000, interaction = 3_600_000 }, n) =>
        createProcess('gateway', n, {
          BATON_TASK_TTL_MS: String(task),
          BATON_INTERACTION_TTL_MS: String(interaction),
        }),
      ),
    );
    const workers = await Promise.all(
      Array.from({ length: options.workers }, (_, n) => createProcess('worker', n, {})),
    );
    const deployment = new ProxiedDeployment(dir, redis, gateways, workers);
    try {
      await Promise.all([...gateways, ...(idle ? [] : workers)].map((one) => one.start()));
      await deployment.createTenant();
    } catch (error) {
      await deployment.stop();
      throw error;
    }
    return deployment;
  }

  get processes(): readonly RecordedProcess[] {
    return [...this.gateways, ...this.workers];
  }

  getProcess(name: string): RecordedProcess {
    const found = this.processes.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no process ${name}`);
    return found;
  }

  /** A REST request as the operator, to the first gateway that runs. */
  async rest<T>(method: string, path: string, body?: object): Promise<T> {
    const url = this.gateways.find((one) => one.isRunning)?.url ?? '';
    const reply = await tryRequestJson(`${url}/v1${path}`, {
      method,
      token: OPERATOR_TOKEN,
      body,
      limitMs: 10_000,
    });
    if (reply.kind !== 'reply' || reply.status >= 300)
      throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    return reply.body as T;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
    for (const { redisProxy } of this.processes) redisProxy.close();
    await this.redis.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  private async createTenant(): Promise<void> {
    await this.rest('POST', '/tenants', { id: TENANT_ID, limits: UNLIMITED });
    const input = { name: 'faults', scopes: ['mcp', 'agent', 'admin'] };
    this.apiKey = (await this.rest<{ key: string }>('POST', `/tenants/${TENANT_ID}/keys`, input)).key;
  }
}
