import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { BatonProcess, GATEWAY_READY_LINE, WORKER_READY_LINE } from '../../processes/baton-process.ts';
import { findProjectViolations } from '../../harness/guards/stored-projects.ts';
import { tryRequestJson } from '../../harness/http-request.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { PROCESS_ENVIRONMENT, OPERATOR_TOKEN, UNLIMITED } from '../../processes/process-settings.ts';

const stored = { projects: 0, violations: [] as string[] };

/** What the testbeds that have stopped since the last call have left: how many projects, and what they violate. */
export function takeStoredProjects(): { readonly projects: number; readonly violations: readonly string[] } {
  const taken = { projects: stored.projects, violations: stored.violations.splice(0) };
  stored.projects = 0;
  return taken;
}

/** Gateways and workers as real processes on one Redis. */
export class Testbed {
  readonly redisUrl: string;
  readonly redis: PrivateRedis | undefined;
  /** The Redis that holds the data, past any proxy. */
  private readonly storageUrl: () => Promise<string>;
  private readonly entry: string;
  private readonly environment: NodeJS.ProcessEnv;
  private readonly processes: BatonProcess[] = [];

  private constructor(
    entry: string,
    redisUrl: string,
    redis: PrivateRedis | undefined,
    storageUrl: () => Promise<string>,
    more: NodeJS.ProcessEnv,
  ) {
    this.entry = entry;
    this.storageUrl = storageUrl;
    this.redisUrl = redisUrl;
    this.redis = redis;
    this.environment = { ...PROCESS_ENVIRONMENT, REDIS_URL: redisUrl, ...more };
  }

  /** On a private Redis with these arguments. */
  static async start(
    entry: string,
    args: readonly string[] = [],
    more: NodeJS.ProcessEnv = {},
  ): Promise<Testbed> {
    const redis = await startPrivateRedis({ args });
    return new Testbed(entry, redis.url, redis, async () => redis.url, more);
  }

  /** On a Redis that the caller starts and stops; `storageUrl` is asked when the testbed stops. */
  static onRedis(
    entry: string,
    redisUrl: string,
    storageUrl: () => Promise<string>,
    more: NodeJS.ProcessEnv = {},
  ): Testbed {
    return new Testbed(entry, redisUrl, undefined, storageUrl, more);
  }

  async startProcess(role: 'gateway' | 'worker', more: NodeJS.ProcessEnv = {}): Promise<BatonProcess> {
    const ready = role === 'gateway' ? GATEWAY_READY_LINE : WORKER_READY_LINE;
    const started = await BatonProcess.start(role, { ...this.environment, ...more }, ready, this.entry);
    this.processes.push(started);
    return started;
  }

  /** Starts a role that must exit by itself; returns its exit code and output. */
  async runToExit(role: 'gateway' | 'worker'): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [this.entry, role], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...this.environment },
    });
    let output = '';
    child.stdout.on('data', (part) => (output += part));
    child.stderr.on('data', (part) => (output += part));
    const killed = setTimeout(() => child.kill('SIGKILL'), 15_000);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(killed);
    return { code, output };
  }

  /** Creates a tenant with unlimited quotas; returns a key with all scopes. */
  async createTenant(url: string, id: string, expiresAt?: string): Promise<string> {
    await this.rest(url, 'POST', '/tenants', { id, limits: UNLIMITED });
    return this.createKey(url, id, expiresAt);
  }

  async createKey(url: string, tenant: string, expiresAt?: string): Promise<string> {
    const scopes = ['mcp', 'agent', 'admin'];
    const input = { name: 'scenarios', scopes, principal: 'someone', ...(expiresAt ? { expiresAt } : {}) };
    return (await this.rest(url, 'POST', `/tenants/${tenant}/keys`, input)).key;
  }

  async rest(url: string, method: string, path: string, body?: object): Promise<AnyJson> {
    const reply = await tryRequestJson(`${url}/v1${path}`, {
      method,
      token: OPERATOR_TOKEN,
      body,
      limitMs: 10_000,
    });
    if (reply.kind !== 'reply' || reply.status >= 300) {
      throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    }
    return reply.body;
  }

  /** Kills the processes, holds the projects that they have left against the model, and stops a Redis of its own. */
  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop('SIGKILL')));
    try {
      const { projects, violations } = await findProjectViolations(await this.storageUrl());
      stored.projects += projects;
      stored.violations.push(...violations);
    } finally {
      await this.redis?.stop();
    }
  }
}
