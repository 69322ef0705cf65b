import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { History } from './history.ts';
import { Link } from './link.ts';
import { Member } from './member.ts';
import { RedisMember } from './redis-member.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { http } from './http.ts';
import { ENVIRONMENT, OPERATOR, WIDE } from './setting.ts';

export const TENANT = 'faults';

export interface FleetOptions {
  /** The built command. */
  readonly entry: string;
  /** How long the tasks and interactions of each gateway live, in milliseconds; by default longer than any run. */
  readonly gateways: readonly { readonly task?: number; readonly interaction?: number }[];
  readonly workers: number;
}

/** A deployment of real processes on a Redis of their own, each reached, and reaching Redis, by a way in our hands. */
export class Fleet {
  readonly redis: RedisMember;
  readonly gateways: readonly Member[];
  readonly workers: readonly Member[];
  private readonly dir: string;
  apiKey = '';

  private constructor(dir: string, redis: RedisMember, gateways: Member[], workers: Member[]) {
    this.dir = dir;
    this.redis = redis;
    this.gateways = gateways;
    this.workers = workers;
  }

  /** Starts Redis and the gateways, makes the tenant and its key; workers are started too unless `idle`. */
  static async start(options: FleetOptions, history: History, { idle = false } = {}): Promise<Fleet> {
    const dir = temporaryFolder('faults');
    const redis = await RedisMember.start(join(dir, 'redis'), history);
    const member = async (name: string, more: NodeJS.ProcessEnv) => {
      const link = await Link.open(join(dir, `${name}.sock`), redis.url.replace('unix://', ''));
      return new Member(name, options.entry, { ...ENVIRONMENT, ...more }, link, history);
    };
    const gateways = await Promise.all(
      options.gateways.map(({ task = 3_600_000, interaction = 3_600_000 }, n) =>
        member(`gateway-${n}`, {
          BATON_TASK_TTL_MS: String(task),
          BATON_INTERACTION_TTL_MS: String(interaction),
        }),
      ),
    );
    const workers = await Promise.all(
      Array.from({ length: options.workers }, (_, n) => member(`worker-${n}`, {})),
    );
    const fleet = new Fleet(dir, redis, gateways, workers);
    try {
      await Promise.all([...gateways, ...(idle ? [] : workers)].map((one) => one.start()));
      await fleet.makeTenant();
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  get members(): readonly Member[] {
    return [...this.gateways, ...this.workers];
  }

  member(name: string): Member {
    const found = this.members.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  /** A request to the REST as the operator, on any gateway that answers. */
  async rest<T>(method: string, path: string, body?: object): Promise<T> {
    const url = this.gateways.find((one) => one.url !== undefined)?.url ?? '';
    const reply = await http(`${url}/v1${path}`, { method, token: OPERATOR, body, limitMs: 10_000 });
    if (reply.kind !== 'reply' || reply.status >= 300)
      throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    return reply.body as T;
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((one) => one.end('SIGKILL')));
    for (const { link } of this.members) link.close();
    await this.redis.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  private async makeTenant(): Promise<void> {
    await this.rest('POST', '/tenants', { id: TENANT, limits: WIDE });
    const input = { name: 'faults', scopes: ['mcp', 'agent', 'admin'] };
    this.apiKey = (await this.rest<{ key: string }>('POST', `/tenants/${TENANT}/keys`, input)).key;
  }
}
