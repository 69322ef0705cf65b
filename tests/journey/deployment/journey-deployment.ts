import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { LossyProxy } from '../../proxies/lossy-proxy.ts';
import type { FakeLlmServer } from '../../fake-llm/llm-server.ts';
import { findProjectViolations } from '../../harness/guards/stored-projects.ts';
import { tryRequestJson } from '../../harness/http-request.ts';
import { RedisProxy } from '../../proxies/redis-proxy.ts';
import { createTemporaryFolder } from '../../processes/temporary-folder.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import type { FaultTargets } from '../faults/fault-injector.ts';
import { SupervisedProcess } from '../../processes/supervised-process.ts';
import type { TriggerEventEmitter } from '../faults/trigger-event-emitter.ts';

const OPERATOR = 'operator-token-of-the-e2e-tests';
const LIMIT_MS = 20_000;
export const TENANT = 'e2e';

/** A key that only the script of a turn's end has. */
const END_OF_TURN = /:conversationSizes/;

/** The lease of a claim, after which a killed agent's requests are claimable; LLM calls time out a little before. */
const LEASE_MS = '3000';
const TIMEOUT_MS = '2900';

/** Two gateways, two workers and, with an LLM endpoint, two agents as real processes, on a private Redis. */
export class JourneyDeployment implements FaultTargets {
  readonly redis: Redis;
  private readonly server: PrivateRedis;
  private readonly folder: string;
  private readonly redisProxies: RedisProxy[] = [];
  private readonly gateways: SupervisedProcess[] = [];
  private readonly workers: SupervisedProcess[] = [];
  private readonly agents: SupervisedProcess[] = [];
  private readonly clientProxies: LossyProxy[] = [];
  private droppedReplies = 0;
  /** What loses the reply to the last command of each worker. */
  private readonly lastCommands = new Map<string, () => void>();
  /** The client's API key, which is also the tenant admin's. */
  key = '';

  private constructor(folder: string, server: PrivateRedis) {
    this.folder = folder;
    this.server = server;
    this.redis = new Redis(server.url.replace('unix://', ''));
  }

  static async start(
    entry: string,
    llm: FakeLlmServer | undefined,
    events: TriggerEventEmitter,
  ): Promise<JourneyDeployment> {
    const folder = createTemporaryFolder('e2e');
    const deployment = new JourneyDeployment(folder, await startPrivateRedis({ dir: join(folder, 'redis') }));
    try {
      await deployment.startProcesses(entry, llm, events);
    } catch (error) {
      await deployment.stop();
      throw error;
    }
    return deployment;
  }

  /** The client's base URL of each gateway, behind a proxy. */
  get urls(): string[] {
    return this.clientProxies.map((proxy) => proxy.url);
  }

  get processes(): readonly SupervisedProcess[] {
    return [...this.gateways, ...this.workers, ...this.agents];
  }

  /** The events that the agents printed. */
  get agentEvents(): readonly AnyJson[] {
    return this.agents.flatMap(({ output }) => output.flatMap(parseEvent));
  }

  /** The last lines of each process, for the report of a failure. */
  get lastOutput(): string[] {
    return this.processes.map(
      ({ name, output }) => `${name}: ${output.slice(-3).join('\n        ').slice(-600)}`,
    );
  }

  kill(name: string): boolean {
    return this.processes.find((member) => member.name === name)?.kill() ?? false;
  }

  loseReply(worker: string): void {
    this.lastCommands.get(worker)?.();
  }

  dropReplies(gateway: string): void {
    this.clientProxies[this.gateways.findIndex(({ name }) => name === gateway)]?.dropReplies();
  }

  restoreReplies(): boolean {
    const lost = this.clientProxies.reduce((sum, proxy) => sum + proxy.droppedReplies, 0);
    for (const proxy of this.clientProxies) proxy.forwardAll();
    const before = this.droppedReplies;
    this.droppedReplies = lost;
    return lost > before;
  }

  /** Waits until every killed process runs again. */
  async waitUntilRestarted(): Promise<void> {
    await Promise.all(this.processes.map((member) => member.waitUntilRestarted()));
  }

  /** A REST request, as the operator by default, at any gateway that runs. */
  async rest(method: string, path: string, body?: object, token = OPERATOR): Promise<AnyJson> {
    for (let tried = 1; ; tried++) {
      const url = this.gateways[tried % this.gateways.length]?.url ?? '';
      const reply = await tryRequestJson(`${url}/v1${path}`, { method, token, body, limitMs: LIMIT_MS });
      if (reply.kind === 'reply' && reply.status < 300) return reply.body;
      if (reply.kind === 'reply' || tried === 50)
        throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
      if (tried % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** All tasks of the client, each as REST shows it. */
  async readTasks(): Promise<AnyJson[]> {
    const tasks: AnyJson[] = [];
    for (let query: string | undefined = ''; query !== undefined; ) {
      const page: AnyJson = await this.rest('GET', `/tasks${query}`, undefined, this.key);
      for (const { taskId } of page.tasks)
        tasks.push(await this.rest('GET', `/tasks/${taskId}`, undefined, this.key));
      query = page.nextCursor && `?cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    return tasks;
  }

  /** Of what is stored now. */
  findProjectViolations(): ReturnType<typeof findProjectViolations> {
    return findProjectViolations(this.server.url);
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((member) => member.stop()));
    await Promise.all(this.clientProxies.map((proxy) => proxy.close()));
    for (const openRedisProxy of this.redisProxies) openRedisProxy.close();
    this.redis.disconnect();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async startProcesses(
    entry: string,
    llm: FakeLlmServer | undefined,
    events: TriggerEventEmitter,
  ): Promise<void> {
    const environment = {
      BATON_SECRET: 'a secret of the e2e tests',
      BATON_OPERATOR_TOKEN: OPERATOR,
      BATON_UNREADY_MS: '0',
      HOST: '127.0.0.1',
    };
    for (const n of [0, 1]) {
      const [gateway, worker] = [await this.link(`gateway-${n}`), await this.link(`worker-${n}`)];
      onEachTaskCommand(gateway, () => events.record('gateway-command', `gateway-${n}`));
      onEachTaskCommand(worker, (command, loseReply) => {
        this.lastCommands.set(`worker-${n}`, loseReply);
        events.record('worker-command', `worker-${n}`);
        if (END_OF_TURN.test(command)) events.record('turn-ended', `worker-${n}`);
      });
      this.gateways.push(
        new SupervisedProcess('gateway', n, entry, { ...environment, REDIS_URL: gateway.url }),
      );
      this.workers.push(new SupervisedProcess('worker', n, entry, { ...environment, REDIS_URL: worker.url }));
    }
    await Promise.all([...this.gateways, ...this.workers].map((member) => member.start()));
    for (const { url } of this.gateways) this.clientProxies.push(await LossyProxy.inFrontOf(url));
    await this.rest('POST', '/tenants', {
      id: TENANT,
      limits: { requestsPerSecond: 100_000, burst: 100_000 },
    });
    this.key = await this.createKey('client', ['mcp', 'admin']);
    if (llm === undefined) return;
    for (const [n, provider] of (['openai', 'anthropic'] as const).entries()) {
      const own = {
        BATON_URL: `${this.gateways[n]?.url}/mcp`,
        BATON_API_KEY: await this.createKey(`agent-${n}`, ['agent']),
        BATON_DATA_DIR: this.folder,
        BATON_LLM_PROVIDER: provider,
        BATON_LLM_ENDPOINT: llm.url,
        BATON_LLM_API_KEY: 'key-of-the-llm',
        BATON_LLM_MODEL: 'model-of-the-journey',
        BATON_AGENT_CONCURRENCY: '2',
        BATON_AGENT_LEASE_MS: LEASE_MS,
        BATON_AGENT_TIMEOUT_MS: TIMEOUT_MS,
      };
      this.agents.push(new SupervisedProcess('agent', n, entry, own));
    }
    await Promise.all(this.agents.map((member) => member.start()));
  }

  private async link(name: string): Promise<RedisProxy> {
    const proxy = await RedisProxy.open(
      join(this.folder, `${name}.sock`),
      this.server.url.replace('unix://', ''),
    );
    this.redisProxies.push(proxy);
    return proxy;
  }

  private async createKey(principal: string, scopes: readonly string[]): Promise<string> {
    const input = { name: principal, principal, scopes, tools: 'all' };
    return (await this.rest('POST', `/tenants/${TENANT}/keys`, input)).key;
  }
}

/** Each agent uses an API of its own, by which the LLM endpoint identifies it. */
export function agentForApi(api: 'openai' | 'anthropic'): string {
  return api === 'openai' ? 'agent-0' : 'agent-1';
}

/** Calls `listener` after each command about a task that the process behind a proxy has sent. */
function onEachTaskCommand(
  proxy: RedisProxy,
  listener: Parameters<RedisProxy['onNextTaskCommand']>[0],
): void {
  proxy.onNextTaskCommand((command, loseReply) => {
    onEachTaskCommand(proxy, listener);
    listener(command, loseReply);
  });
}

/** Parses one line of an agent; a killed agent may leave half a line. */
function parseEvent(line: string): AnyJson[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
