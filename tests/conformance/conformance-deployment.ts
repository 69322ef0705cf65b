import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { BatonProcess, WORKER_READY_LINE } from '../processes/baton-process.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';

const CONFORMANCE_LINE = /for the conformance suite on (http:\/\/\S+)/;

/** Two gateways and a worker with the suite's fixtures, behind a proxy that sends each request to the other gateway. */
export class ConformanceDeployment {
  private readonly redis: PrivateRedis;
  private readonly processes: readonly BatonProcess[];
  private readonly proxy: RoundRobinProxy;

  private constructor(redis: PrivateRedis, processes: readonly BatonProcess[], proxy: RoundRobinProxy) {
    this.redis = redis;
    this.processes = processes;
    this.proxy = proxy;
  }

  static async start(): Promise<ConformanceDeployment> {
    const redis = await startPrivateRedis({ args: ['--appendonly', 'yes'] });
    const environment = {
      REDIS_URL: redis.url,
      BATON_SECRET: 'conformance-secret-of-32-characters',
      BATON_CONFORMANCE_PORT: '0',
      BATON_UNREADY_MS: '0',
    };
    const address = { ...environment, HOST: '127.0.0.1', PORT: '0' };
    const worker = await BatonProcess.start('worker', environment, WORKER_READY_LINE);
    const gateways = [
      await BatonProcess.start('gateway', address, CONFORMANCE_LINE),
      await BatonProcess.start('gateway', address, CONFORMANCE_LINE),
    ];
    const proxy = await RoundRobinProxy.start(() => gateways.map(({ url }) => url), true);
    return new ConformanceDeployment(redis, [...gateways, worker], proxy);
  }

  /** Where the suite finds it. */
  get url(): string {
    return `${this.proxy.url}/mcp`;
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    for (const one of this.processes) await one.stop('SIGTERM');
    await this.redis.stop();
  }
}
