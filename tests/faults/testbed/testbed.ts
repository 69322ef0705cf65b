import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { BatonProcess, GATEWAY_READY_LINE, WORKER_READY_LINE } from '../../processes/baton-process.ts';
import { tryRequestJson } from '../../harness/http-request.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { PROCESS_ENVIRONMENT, OPERATOR_TOKEN, UNLIMITED } from '../../processes/process-settings.ts';

/** Gateways and workers as real processes on one Redis. */
export class Testbed {
  readonly redisUrl: string;
  readonly redis: PrivateRedis | undefined;
  private readonly entry: string;
  private readonly environment: NodeJS.ProcessEnv;
  private readonly processes: BatonProcess[] = [];

  private constructor(
    entry: string,
    redisUrl: string,
    redis: PrivateRedis | undefined,
    more: NodeJS.ProcessEnv,
  ) {
    this.entry = entry;
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
    return new Testbed(entry, redis.url, redis, more);
  }

  /** On a Redis that the caller starts and stops. */
  static onRedis(entry: string, redisUrl: string, more: NodeJS.ProcessEnv = {}): Testbed {
    return new Testbed(entry, redisUrl, undefined, more);
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

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop('SIGKILL')));
    await this.redis?.stop();
  }
}
