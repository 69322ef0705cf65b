import { createLogger, type RunningGateway, startGateway } from '@baton/gateway';
import {
  DEFAULT_EDGE_LIMITS,
  type EdgeLimits,
  type GatewayConfiguration,
} from '@baton/gateway/configuration';
import { startPrivateRedis } from '@baton/local-redis';
import { syntheticOperations } from '@baton/operations';
import type { KeyInput, Limits } from '@baton/protocol';
import { type Lifetimes, Store } from '@baton/store';
import { OperatorStore } from '@baton/store/operator';
import { type RunningWorker, startWorker } from '@baton/worker';
import { Redis } from 'ioredis';
import { findUnownedKeys } from '@baton/store/testing/unowned-keys';
import { StoredProjectChecker } from './guards/stored-projects.ts';
import { testGuards } from './guards/test-guards.ts';

export const SECRET = 'a secret of the tests';
export const OPERATOR_TOKEN = 'operator-token-of-the-tests';
const log = createLogger(process.env['TEST_LOG'] ?? 'silent', {});

type Programs = typeof syntheticOperations;

export interface DeploymentOptions {
  readonly gateways?: number;
  readonly workers?: number;
  readonly lifetimes?: Partial<Lifetimes>;
  readonly limits?: Partial<Limits>;
  /** Settings of the gateways beside the usual ones. */
  readonly gateway?: Partial<Omit<GatewayConfiguration, 'edgeLimits'>>;
  /** Networks that workers may call LLM endpoints in beside the public internet. */
  readonly egressAllow?: readonly string[];
  readonly edgeLimits?: Partial<EdgeLimits>;
  readonly log?: ReturnType<typeof createLogger>;
  /** The test writes keys past Baton, which are not held to their lifetimes at the end. */
  readonly writesKeys?: boolean;
  /** The test writes projects past Baton, which then estimates their sizes. */
  readonly writesProjects?: boolean;
}

/** Gateways and workers in this process, on real sockets and a private Redis, with tenant `acme` and an API key. */
export class InProcessDeployment {
  readonly redisUrl: string;
  readonly gateways: RunningGateway[] = [];
  readonly workers: RunningWorker[] = [];
  readonly stores: Store[] = [];
  apiKey = '';
  private readonly projects: StoredProjectChecker;
  private readonly guard = () => this.projects.findViolations();
  private readonly options: DeploymentOptions;
  private readonly stopRedis: () => Promise<void>;

  private constructor(options: DeploymentOptions, redis: { url: string; stop: () => Promise<void> }) {
    this.options = options;
    this.redisUrl = redis.url;
    this.stopRedis = redis.stop;
    this.projects = new StoredProjectChecker(redis.url, { sizes: !options.writesProjects });
    if (!options.writesKeys) testGuards.add(this.guard);
  }

  static async start(options: DeploymentOptions = {}): Promise<InProcessDeployment> {
    const deployment = new InProcessDeployment(options, await startPrivateRedis({}));
    const store = await deployment.openStore('setup');
    await new OperatorStore(store).create({
      id: 'acme',
      limits: { requestsPerSecond: 100_000, burst: 100_000, projects: 10_000, ...options.limits },
    });
    deployment.apiKey = await deployment.createKey({ scopes: ['mcp'] });
    for (let n = 0; n < (options.gateways ?? 2); n++) await deployment.addGateway();
    for (let n = 0; n < (options.workers ?? 1); n++) await deployment.addWorker();
    return deployment;
  }

  /** A new key of a tenant, with a principal of its own unless one is given. */
  async createKey(input: Partial<KeyInput>, tenant = 'acme'): Promise<string> {
    const created = await this.store
      .tenant(tenant)
      .apiKeys.create({ name: 'test', scopes: ['mcp'], tools: 'all', ...input });
    return created.key;
  }

  async addTenant(id: string, limits: Partial<Limits> = {}): Promise<string> {
    await new OperatorStore(this.store).create({ id, limits });
    return this.createKey({}, id);
  }

  get store(): Store {
    const [first] = this.stores;
    if (first === undefined) throw new Error('the deployment has not started');
    return first;
  }

  url(gateway = 0): string {
    const running = this.gateways[gateway];
    if (running === undefined) throw new Error(`there is no gateway ${gateway}`);
    return running.url;
  }

  /** `programs` are added to the product's; an older version of a program has a key other than its name. */
  async addGateway(programs: Programs = syntheticOperations): Promise<RunningGateway> {
    const replica = `gateway-${this.gateways.length}`;
    const configuration = {
      host: '127.0.0.1',
      port: 0,
      replica,
      operatorToken: OPERATOR_TOKEN,
      publicUrl: undefined,
      trustProxy: false,
      allowedOrigins: ['https://app.example'],
      metricsOpen: false,
      unreadyMs: 0,
      drainMs: 9_000,
      edgeLimits: { ...DEFAULT_EDGE_LIMITS, wrongCredentialsPerSecond: 1_000, ...this.options.edgeLimits },
      ...this.options.gateway,
    };
    const gateway = await startGateway(
      configuration,
      await this.openStore(replica),
      this.options.log ?? log,
      programs,
    );
    this.gateways.push(gateway);
    return gateway;
  }

  async addWorker(programs: Programs = syntheticOperations): Promise<RunningWorker> {
    const store = await this.openStore(`worker-${this.workers.length}`);
    const worker = await startWorker(
      { drainMs: 9_000, providerCalls: 100, egressAllow: this.options.egressAllow ?? [] },
      store,
      this.options.log ?? log,
      programs,
    );
    this.workers.push(worker);
    return worker;
  }

  async stop(): Promise<void> {
    testGuards.delete(this.guard);
    this.projects.close();
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await Promise.all(this.stores.map((store) => store.close()));
    const unowned = this.options.writesKeys ? [] : await this.findUnownedKeys();
    await this.stopRedis();
    // Last: what a test leaves behind must not keep its processes.
    if (unowned.length > 0)
      throw new Error(`keys live on without a lifetime or an owner:\n${unowned.join('\n')}`);
  }

  private async findUnownedKeys(): Promise<string[]> {
    const redis = new Redis(this.redisUrl.replace('unix://', ''));
    try {
      return await findUnownedKeys(redis);
    } finally {
      redis.disconnect();
    }
  }

  private async openStore(replica: string): Promise<Store> {
    const lifetimes = {
      interaction: 3_600_000,
      task: 86_400_000,
      retention: 86_400_000,
      ...this.options.lifetimes,
    };
    const store = await Store.open({ url: this.redisUrl, secret: SECRET, replica, lifetimes });
    this.stores.push(store);
    return store;
  }
}
