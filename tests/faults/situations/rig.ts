import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { BatonProcess, GATEWAY_UP, WORKER_UP } from '../../harness/process.ts';
import { http } from '../http.ts';
import { ENVIRONMENT, OPERATOR, WIDE } from '../setting.ts';

/** What a tool call came to, read as a client in JavaScript reads it. */
// oxlint-disable-next-line typescript/no-explicit-any -- fields that are missing are undefined, and a claim fails
export type Loose = any;

export interface Reply {
  /** 0 when nothing came back. */
  readonly status: number;
  /** The tool's structured content, or its error. */
  readonly content: Loose;
  readonly error: Loose;
}

/** A deployment of real processes on one Redis, ended by their ids. */
export class Rig {
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
    this.environment = { ...ENVIRONMENT, REDIS_URL: redisUrl, ...more };
  }

  /** On a Redis of its own. */
  static async start(
    entry: string,
    args: readonly string[] = [],
    more: NodeJS.ProcessEnv = {},
  ): Promise<Rig> {
    const redis = await startPrivateRedis({ args });
    return new Rig(entry, redis.url, redis, more);
  }

  /** On a Redis that someone else started and will stop. */
  static at(entry: string, redisUrl: string, more: NodeJS.ProcessEnv = {}): Rig {
    return new Rig(entry, redisUrl, undefined, more);
  }

  async begin(role: 'gateway' | 'worker', more: NodeJS.ProcessEnv = {}): Promise<BatonProcess> {
    const ready = role === 'gateway' ? GATEWAY_UP : WORKER_UP;
    const started = await BatonProcess.start(role, { ...this.environment, ...more }, ready, this.entry);
    this.processes.push(started);
    return started;
  }

  /** Starts a role that is to end by itself; gives its exit code and what it said. */
  async ending(role: 'gateway' | 'worker'): Promise<{ code: number | null; said: string }> {
    const child = spawn(process.execPath, [this.entry, role], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...this.environment },
    });
    let said = '';
    child.stdout.on('data', (part) => (said += part));
    child.stderr.on('data', (part) => (said += part));
    const killed = setTimeout(() => child.kill('SIGKILL'), 15_000);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(killed);
    return { code, said };
  }

  /** A tenant with wide limits, and a key that may do everything in it. */
  async tenant(url: string, id: string, expiresAt?: string): Promise<string> {
    await this.rest(url, 'POST', '/tenants', { id, limits: WIDE });
    return this.key(url, id, expiresAt);
  }

  async key(url: string, tenant: string, expiresAt?: string): Promise<string> {
    const scopes = ['mcp', 'agent', 'admin'];
    const input = { name: 'situations', scopes, principal: 'someone', ...(expiresAt ? { expiresAt } : {}) };
    return (await this.rest(url, 'POST', `/tenants/${tenant}/keys`, input)).key;
  }

  async rest(url: string, method: string, path: string, body?: object): Promise<Loose> {
    const reply = await http(`${url}/v1${path}`, { method, token: OPERATOR, body, limitMs: 10_000 });
    if (reply.kind !== 'reply' || reply.status >= 300) {
      throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    }
    return reply.body;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.end('SIGKILL')));
    await this.redis?.stop();
  }
}

/** One `tools/call`. */
export async function call(
  url: string,
  token: string,
  name: string,
  args: object,
  limitMs = 30_000,
): Promise<Reply> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const reply = await http(`${url}/mcp`, { method: 'POST', token, body, limitMs });
  if (reply.kind === 'none')
    return { status: 0, content: undefined, error: { code: 'none', message: reply.why } };
  const { result, error } = reply.body as Loose;
  const content = result?.structuredContent;
  const refused = error?.data ?? error ?? (result?.isError ? content?.error : undefined);
  return { status: reply.status, content: refused ? undefined : content, error: refused };
}

export function answer(url: string, token: string, interactionId: string, value: string, waitMs = 20_000) {
  const agentLLMResponse = { status: 'success', data: { object: { value } } };
  return call(url, token, 'agent_llm', { interactionId, agentLLMResponse, waitMs });
}

/** Asks again and again until something is so; false when it never was within the time. */
export async function until(holds: () => Promise<boolean>, limitMs: number, everyMs = 20): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; await delay(everyMs)) {
    if (await holds()) return true;
  }
  return false;
}
