import { startPrivateRedis } from '@baton/local-redis';
import { DEFAULT_LIMITS, type Limits } from '@baton/protocol';
import { Store } from '@baton/store';
import { OperatorDoor } from '@baton/store/operator';
import { OPERATOR_TOKEN, SECRET } from '../harness/deployment.ts';
import type { Loose } from '../harness/client.ts';
import { bundleServe } from './bundle.ts';
import { ProbedProcess } from './probed-process.ts';
import { type Secrets, secretsOf } from './secrets.ts';
import { exchange, messagesOf, type Reply, type WireRequest } from './wire.ts';

/** The claims that are numbers: no request takes longer, no loop is held up for longer. */
export const HANG_MS = 2_000;
export const BLOCK_MS = 100;

/** Limits that no run reaches; what requests may hold is what every tenant has. */
export const WIDE: Limits = {
  ...DEFAULT_LIMITS,
  requestsPerSecond: 1_000_000,
  burst: 1_000_000,
  pendingInteractions: 1_000_000,
  openTasks: 1_000_000,
};

export interface Keys {
  readonly mcp: string;
  readonly agent: string;
  readonly admin: string;
}

/** One way through the gateway: a process of its own, and a tenant of its own, so that both ways see the same states. */
export interface Way {
  readonly name: 'short' | 'sdk';
  readonly url: string;
  readonly tenant: string;
  readonly keys: Keys;
  readonly process: ProbedProcess;
  readonly routes: readonly string[];
}

export interface Observed {
  readonly reply: Reply;
  /** What the processes did that none may: hang, block, die. */
  readonly faults: readonly string[];
}

/** A Redis, a gateway for each way and a worker, each with the probe in it. */
export class Stage {
  readonly ways: readonly [short: Way, sdk: Way];
  readonly worker: ProbedProcess;
  readonly store: Store;
  readonly secrets: Secrets;
  private readonly closing: (() => Promise<unknown>)[];
  /** The longest blocks so far, each with the request that it fell in: what comes near the limit is seen before it is over. */
  private longest: { readonly blockedMs: number; readonly said: string }[] = [];

  private constructor(
    ways: readonly [Way, Way],
    worker: ProbedProcess,
    store: Store,
    closing: (() => Promise<unknown>)[],
  ) {
    this.ways = ways;
    this.worker = worker;
    this.store = store;
    this.secrets = secretsOf([OPERATOR_TOKEN, SECRET]);
    for (const { keys } of ways) this.secrets.add(...Object.values(keys));
    this.closing = closing;
  }

  static async start(options: { planted?: boolean } = {}): Promise<Stage> {
    const closing: (() => Promise<unknown>)[] = [];
    try {
      return await Stage.set(closing, options.planted ?? false);
    } catch (error) {
      for (const close of closing) await close();
      throw error;
    }
  }

  private static async set(closing: (() => Promise<unknown>)[], planted: boolean): Promise<Stage> {
    const bundle = await bundleServe();
    closing.unshift(async () => bundle.remove());
    const redis = await startPrivateRedis({});
    closing.unshift(() => redis.stop());
    const store = await Store.open({ url: redis.url, secret: SECRET, replica: 'setup' });
    closing.unshift(() => store.close());
    const start = async (role: string) => {
      const more = planted ? ['planted'] : [];
      const process = await ProbedProcess.start(bundle.script, role, [role, redis.url, role, ...more]);
      closing.unshift(() => process.stop());
      return process;
    };
    const way = async (name: 'short' | 'sdk'): Promise<Way> => {
      const process = await start(name);
      await new OperatorDoor(store).create({ id: name, limits: WIDE });
      const { url, routes } = process.said;
      return { name, url, tenant: name, keys: await newKeys(store, name), process, routes };
    };
    const stage = new Stage([await way('short'), await way('sdk')], await start('worker'), store, closing);
    // What runs for the first time is slow for a reason that no input is to blame for.
    for (let n = 0; n < 5; n++) await stage.canary();
    for (const { process } of stage.ways) await process.take();
    await stage.worker.take();
    return stage;
  }

  /** Sends a request and sees what it did to the processes. `waitsMs` is how long it may wait on its own wish. */
  async send(way: Way, request: WireRequest, waitsMs = 0): Promise<Observed> {
    // A busy machine takes time too; how much of it the processes themselves will tell.
    const reply = await exchange(way.url, request, 2 * HANG_MS + waitsMs);
    const faults: string[] = [];
    let stoodMs = 0;
    for (const process of [way.process, this.worker]) {
      const burned = await process.take();
      stoodMs += burned.stoodMs;
      this.note(burned.blockedMs, `${process.name}, ${request.method} ${request.path.slice(0, 60)}`, request);
      if (burned.blockedMs > BLOCK_MS)
        faults.push(
          `the loop of the ${process.name} process was blocked for ${Math.round(burned.blockedMs)} ms`,
        );
    }
    if (reply.hung || reply.ms > HANG_MS + waitsMs + stoodMs)
      faults.push(`it hung: ${Math.round(reply.ms)} ms${reply.hung ? ' and no end' : ''}`);
    return { reply, faults };
  }

  /** A normal delegation on each way: parked, answered, finished. Errors: when it does not work. */
  async canary(): Promise<void> {
    for (const way of this.ways) {
      const project = `canary-${Math.random()}`;
      const parked = await this.call(way, 'parse_prd', { prd: 'A shop.', numTasks: 1, projectRoot: project });
      const tasks = [{ id: 1, title: 'Sell', description: 'Sell tea.' }];
      const answered = await this.call(way, 'agent_llm', {
        interactionId: parked.interactionId,
        agentLLMResponse: { status: 'success', data: { tasks } },
      });
      if (answered?.outcome?.result?.tasksAdded !== 1)
        throw new Error(`a normal delegation does not work any more: ${JSON.stringify(answered)}`);
      const next = await this.call(way, 'next_task', { projectRoot: project });
      if (next.task?.title !== 'Sell') throw new Error(`its result is not there: ${JSON.stringify(next)}`);
    }
  }

  /** A tool's structured content, whatever it is. */
  async call(way: Way, name: string, args: object): Promise<Loose> {
    const reply = await exchange(
      way.url,
      mcpRequest(way.keys.mcp, 'tools/call', { name, arguments: args }),
      30_000,
    );
    const [message] = (messagesOf(reply) ?? []).slice(-1);
    if (message?.result === undefined)
      throw new Error(`${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
    return message.result.structuredContent;
  }

  async stop(): Promise<void> {
    console.log(`# longest blocks of a loop:\n${this.longest.map(({ said }) => `#   ${said}`).join('\n')}`);
    for (const close of this.closing) await close();
  }

  private note(blockedMs: number, where: string, { body }: WireRequest): void {
    if (blockedMs <= (this.longest[2]?.blockedMs ?? 0)) return;
    const begins = body === undefined ? '' : ` ${body.slice(0, 160).toString()} (${body.length} in all)`;
    this.longest.push({ blockedMs, said: `${blockedMs.toFixed(0)} ms: ${where}${begins}` });
    this.longest = this.longest.sort((a, b) => b.blockedMs - a.blockedMs).slice(0, 3);
  }
}

export async function newKeys(store: Store, tenant: string): Promise<Keys> {
  const { credentials } = store.tenant(tenant);
  const key = async (scope: 'mcp' | 'agent' | 'admin') =>
    (await credentials.create({ name: 'abuse', scopes: [scope] })).key;
  return { mcp: await key('mcp'), agent: await key('agent'), admin: await key('admin') };
}

/** Headers of a client of the official kind. */
export function mcpHeaders(key: string): [string, string][] {
  return [
    ['authorization', `Bearer ${key}`],
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
  ];
}

export function mcpRequest(key: string, method: string, params: unknown, id: unknown = 1): WireRequest {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return { method: 'POST', path: '/mcp', headers: mcpHeaders(key), body };
}
