import { startPrivateRedis } from '@baton/local-redis';
import { DEFAULT_LIMITS, type Limits } from '@baton/protocol';
import { Store } from '@baton/store';
import { OperatorStore } from '@baton/store/operator';
import { OPERATOR_TOKEN, SECRET } from '../../harness/in-process-deployment.ts';
import { UNLIMITED } from '../../processes/process-settings.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { bundleServerProcess } from './server-bundle.ts';
import { ProbedProcess } from './probed-process.ts';
import { type SecretDetector, createSecretDetector } from './secret-detector.ts';
import { sendRawRequest, parseJsonRpcMessages, type RawReply, type RawRequest } from './raw-http.ts';

/** ABUSE_SHORT: nothing is measured, so that a slow machine makes no fault; a request without an end still is one. */
const IS_MEASURED = process.env['ABUSE_SHORT'] !== 'true';
/** No request may take longer than HANG_LIMIT_MS, and no event loop may be blocked for longer than BLOCK_LIMIT_MS. */
const HANG_LIMIT_MS = IS_MEASURED ? 2_000 : 60_000;
const BLOCK_LIMIT_MS = IS_MEASURED ? 100 : Number.POSITIVE_INFINITY;

/** Request sizes stay limited as for every tenant. */
export const ABUSE_LIMITS: Limits = { ...DEFAULT_LIMITS, ...UNLIMITED };

export interface ScopedKeys {
  readonly mcp: string;
  readonly agent: string;
  readonly admin: string;
}

/** A gateway in a process of its own, with a tenant and its keys. */
export interface GatewayUnderTest {
  readonly name: string;
  readonly url: string;
  readonly tenant: string;
  readonly keys: ScopedKeys;
  readonly process: ProbedProcess;
  readonly routes: readonly string[];
}

export interface ObservedReply {
  readonly reply: RawReply;
  /** Hangs, blocked event loops and exits that the request caused. */
  readonly faults: readonly string[];
}

/** A Redis, a gateway and a worker, each with the event loop probe. */
export class AbuseEnvironment {
  readonly gateway: GatewayUnderTest;
  readonly worker: ProbedProcess;
  readonly store: Store;
  readonly secrets: SecretDetector;
  private readonly closing: (() => Promise<unknown>)[];
  /** The longest blocks so far with their requests, printed at the end, so that values near the limit are seen. */
  private longestBlocks: { readonly blockedMs: number; readonly said: string }[] = [];

  private constructor(
    gateway: GatewayUnderTest,
    worker: ProbedProcess,
    store: Store,
    closing: (() => Promise<unknown>)[],
  ) {
    this.gateway = gateway;
    this.worker = worker;
    this.store = store;
    this.secrets = createSecretDetector([OPERATOR_TOKEN, SECRET]);
    this.secrets.add(...Object.values(gateway.keys));
    this.closing = closing;
  }

  static async start(options: { planted?: boolean } = {}): Promise<AbuseEnvironment> {
    const closing: (() => Promise<unknown>)[] = [];
    try {
      return await AbuseEnvironment.startAll(closing, options.planted ?? false);
    } catch (error) {
      for (const close of closing) await close();
      throw error;
    }
  }

  private static async startAll(
    closing: (() => Promise<unknown>)[],
    planted: boolean,
  ): Promise<AbuseEnvironment> {
    const bundle = await bundleServerProcess();
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
    const startGateway = async (name: string): Promise<GatewayUnderTest> => {
      const process = await start(name);
      await new OperatorStore(store).create({ id: name, limits: ABUSE_LIMITS });
      const { url, routes } = process.startMessage;
      return { name, url, tenant: name, keys: await createScopedKeys(store, name), process, routes };
    };
    const environment = new AbuseEnvironment(
      await startGateway('gateway'),
      await start('worker'),
      store,
      closing,
    );
    // Warm up: the first runs are slow whatever the input is.
    for (let n = 0; n < 5; n++) await environment.runCanary();
    await environment.gateway.process.takeMeasurement();
    await environment.worker.takeMeasurement();
    return environment;
  }

  /** Sends a request and measures the processes meanwhile. `waitsMs` is how long the request itself asks to wait. */
  async send(gateway: GatewayUnderTest, request: RawRequest, waitsMs = 0): Promise<ObservedReply> {
    // The time in which the machine did not run the processes is subtracted below.
    const reply = await sendRawRequest(gateway.url, request, 2 * HANG_LIMIT_MS + waitsMs);
    const faults: string[] = [];
    let waitedForCpuMs = 0;
    for (const process of [gateway.process, this.worker]) {
      const measured = await process.takeMeasurement();
      waitedForCpuMs += measured.waitedForCpuMs;
      this.recordBlock(
        measured.blockedMs,
        `${process.name}, ${request.method} ${request.path.slice(0, 60)}`,
        request,
      );
      if (measured.blockedMs > BLOCK_LIMIT_MS)
        faults.push(
          `the loop of the ${process.name} process was blocked for ${Math.round(measured.blockedMs)} ms`,
        );
    }
    if (reply.hung || reply.ms > HANG_LIMIT_MS + waitsMs + waitedForCpuMs)
      faults.push(`it hung: ${Math.round(reply.ms)} ms${reply.hung ? ' and no end' : ''}`);
    return { reply, faults };
  }

  /** Runs a normal delegation. Errors: when it does not complete. */
  async runCanary(): Promise<void> {
    const { gateway } = this;
    const project = `canary-${Math.random()}`;
    const parked = await this.callToolForContent(gateway, 'parse_prd', {
      prd: 'A shop.',
      numTasks: 1,
      projectRoot: project,
    });
    const tasks = [{ id: 1, title: 'Sell', description: 'Sell tea.' }];
    const answered = await this.callToolForContent(gateway, 'agent_llm', {
      interactionId: parked.interactionId,
      agentLLMResponse: { status: 'success', data: { tasks } },
    });
    if (answered?.outcome?.result?.tasksAdded !== 1)
      throw new Error(`a normal delegation no longer works: ${JSON.stringify(answered)}`);
    const next = await this.callToolForContent(gateway, 'next_task', { projectRoot: project });
    if (next.task?.title !== 'Sell') throw new Error(`its result is not there: ${JSON.stringify(next)}`);
  }

  /** Calls a tool; returns its structured content, of a result or an error. */
  async callToolForContent(gateway: GatewayUnderTest, name: string, args: object): Promise<AnyJson> {
    const reply = await sendRawRequest(
      gateway.url,
      mcpRequest(gateway.keys.mcp, 'tools/call', { name, arguments: args }),
      30_000,
    );
    const [message] = (parseJsonRpcMessages(reply) ?? []).slice(-1);
    if (message?.result === undefined)
      throw new Error(`${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
    return message.result.structuredContent;
  }

  async stop(): Promise<void> {
    console.log(
      `# longest blocks of a loop:\n${this.longestBlocks.map(({ said }) => `#   ${said}`).join('\n')}`,
    );
    for (const close of this.closing) await close();
  }

  private recordBlock(blockedMs: number, where: string, { body }: RawRequest): void {
    if (blockedMs <= (this.longestBlocks[2]?.blockedMs ?? 0)) return;
    const begins = body === undefined ? '' : ` ${body.slice(0, 160).toString()} (${body.length} in all)`;
    this.longestBlocks.push({ blockedMs, said: `${blockedMs.toFixed(0)} ms: ${where}${begins}` });
    this.longestBlocks = this.longestBlocks.sort((a, b) => b.blockedMs - a.blockedMs).slice(0, 3);
  }
}

export async function createScopedKeys(store: Store, tenant: string): Promise<ScopedKeys> {
  const { apiKeys } = store.tenant(tenant);
  const key = async (scope: 'mcp' | 'agent' | 'admin') =>
    (await apiKeys.create({ name: 'abuse', scopes: [scope], tools: 'all' })).key;
  return { mcp: await key('mcp'), agent: await key('agent'), admin: await key('admin') };
}

/** The headers that the official SDK sends. */
export function mcpHeaders(key: string): [string, string][] {
  return [
    ['authorization', `Bearer ${key}`],
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
  ];
}

export function mcpRequest(key: string, method: string, params: unknown, id: unknown = 1): RawRequest {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return { method: 'POST', path: '/mcp', headers: mcpHeaders(key), body };
}
