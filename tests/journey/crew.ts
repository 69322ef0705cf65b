import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { LossyDoor } from '../agent/lossy-door.ts';
import type { LlmServer } from '../agent/llm-server.ts';
import { http } from '../faults/http.ts';
import { Link } from '../faults/link.ts';
import { temporaryFolder } from '../faults/temporary-folder.ts';
import type { Loose } from '../harness/client.ts';
import type { Targets } from './chaos.ts';
import { Member } from './member.ts';
import type { Progress } from './progress.ts';

const OPERATOR = 'operator-token-of-the-journey';
const LIMIT_MS = 20_000;
export const TENANT = 'journey';

/** What a killed agent held waits for so long, and an LLM call is given up a little before. */
const LEASE_MS = '3000';
const TIMEOUT_MS = '2900';

/** On Redis, two gateways and two workers; at the gateways, an agent each, both at one LLM endpoint. */
export class Crew implements Targets {
  readonly redis: Redis;
  private readonly server: PrivateRedis;
  private readonly folder: string;
  private readonly links: Link[] = [];
  private readonly gateways: Member[] = [];
  private readonly workers: Member[] = [];
  private readonly agents: Member[] = [];
  private readonly doors: LossyDoor[] = [];
  private lost = 0;
  /** The key of the client, who is also the tenant's admin. */
  key = '';

  private constructor(folder: string, server: PrivateRedis) {
    this.folder = folder;
    this.server = server;
    this.redis = new Redis(server.url.replace('unix://', ''));
  }

  static async start(entry: string, llm: LlmServer, progress: Progress): Promise<Crew> {
    const folder = temporaryFolder('journey');
    const crew = new Crew(folder, await startPrivateRedis({ dir: join(folder, 'redis') }));
    try {
      await crew.begin(entry, llm, progress);
    } catch (error) {
      await crew.stop();
      throw error;
    }
    return crew;
  }

  /** Where the client reaches each gateway. */
  get urls(): string[] {
    return this.doors.map((door) => door.url);
  }

  get members(): readonly Member[] {
    return [...this.gateways, ...this.workers, ...this.agents];
  }

  /** What the agents told of their work, as they write it into a pipe. */
  get agentEvents(): readonly Loose[] {
    return this.agents.flatMap(({ said }) => said.flatMap(readEvent));
  }

  /** What each process said last, for someone who has to find out why it went wrong. */
  get lastWords(): string[] {
    return this.members.map(({ name, said }) => `${name}: ${said.slice(-3).join('\n        ').slice(-600)}`);
  }

  kill(name: string): boolean {
    return this.members.find((member) => member.name === name)?.kill() ?? false;
  }

  lose(gateway: string): void {
    this.doors[this.gateways.findIndex(({ name }) => name === gateway)]?.oneWay();
  }

  hear(): boolean {
    const lost = this.doors.reduce((sum, door) => sum + door.lost, 0);
    for (const door of this.doors) door.open();
    const before = this.lost;
    this.lost = lost;
    return lost > before;
  }

  /** Waits until whoever was killed is back. */
  async back(): Promise<void> {
    await Promise.all(this.members.map((member) => member.back()));
  }

  /** A request to the REST, as the operator or by another key, at any gateway that is there. */
  async rest(method: string, path: string, body?: object, token = OPERATOR): Promise<Loose> {
    for (let tried = 1; ; tried++) {
      const url = this.gateways[tried % this.gateways.length]?.url ?? '';
      const reply = await http(`${url}/v1${path}`, { method, token, body, limitMs: LIMIT_MS });
      if (reply.kind === 'reply' && reply.status < 300) return reply.body;
      if (reply.kind === 'reply' || tried === 50)
        throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
      if (tried % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end()));
    await Promise.all(this.doors.map((door) => door.close()));
    for (const link of this.links) link.close();
    this.redis.disconnect();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async begin(entry: string, llm: LlmServer, progress: Progress): Promise<void> {
    const environment = {
      BATON_SECRET: 'a secret of the journey',
      BATON_OPERATOR_TOKEN: OPERATOR,
      BATON_UNREADY_MS: '0',
      HOST: '127.0.0.1',
    };
    for (const n of [0, 1]) {
      const [gateway, worker] = [await this.link(`gateway-${n}`), await this.link(`worker-${n}`)];
      watch(gateway, () => progress.tell('served', `gateway-${n}`));
      watch(worker, () => progress.tell('worked', `worker-${n}`));
      this.gateways.push(new Member('gateway', n, entry, { ...environment, REDIS_URL: gateway.url }));
      this.workers.push(new Member('worker', n, entry, { ...environment, REDIS_URL: worker.url }));
    }
    await Promise.all([...this.gateways, ...this.workers].map((member) => member.start()));
    for (const { url } of this.gateways) this.doors.push(await LossyDoor.before(url));
    await this.rest('POST', '/tenants', {
      id: TENANT,
      limits: { requestsPerSecond: 100_000, burst: 100_000 },
    });
    this.key = await this.makeKey('client', ['mcp', 'admin']);
    for (const [n, provider] of (['openai', 'anthropic'] as const).entries()) {
      const own = {
        BATON_URL: `${this.gateways[n]?.url}/mcp`,
        BATON_API_KEY: await this.makeKey(`agent-${n}`, ['agent']),
        BATON_DATA_DIR: this.folder,
        BATON_LLM_PROVIDER: provider,
        BATON_LLM_ENDPOINT: llm.url,
        BATON_LLM_API_KEY: 'key-of-the-llm',
        BATON_AGENT_CONCURRENCY: '2',
        BATON_AGENT_LEASE_MS: LEASE_MS,
        BATON_AGENT_TIMEOUT_MS: TIMEOUT_MS,
      };
      this.agents.push(new Member('agent', n, entry, own));
    }
    await Promise.all(this.agents.map((member) => member.start()));
  }

  private async link(name: string): Promise<Link> {
    const link = await Link.open(join(this.folder, `${name}.sock`), this.server.url.replace('unix://', ''));
    this.links.push(link);
    return link;
  }

  private async makeKey(principal: string, scopes: readonly string[]): Promise<string> {
    const input = { name: principal, principal, scopes };
    return (await this.rest('POST', `/tenants/${TENANT}/keys`, input)).key;
  }
}

/** Which API an agent speaks tells the LLM endpoint which agent it is. */
export function agentOf(api: 'openai' | 'anthropic'): string {
  return api === 'openai' ? 'agent-0' : 'agent-1';
}

/** Calls `tell` right after each thing that the process behind a link has sent about a task. */
function watch(link: Link, tell: () => void): void {
  link.onTask(() => {
    watch(link, tell);
    tell();
  });
}

/** One line of an agent; one that was killed may have left half of one. */
function readEvent(line: string): Loose[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
