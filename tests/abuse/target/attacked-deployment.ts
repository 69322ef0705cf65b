import { randomBytes } from 'node:crypto';
import { startPrivateRedis } from '@baton/local-redis';
import type { KeyInput, Limits } from '@baton/protocol';
import type { AnyJson } from '../../harness/mcp-client.ts';
import {
  AGENT_READY_LINE,
  BatonProcess,
  GATEWAY_READY_LINE,
  WORKER_READY_LINE,
} from '../../processes/baton-process.ts';
import { OPERATOR_TOKEN, PROCESS_ENVIRONMENT } from '../../processes/process-settings.ts';

export interface ApiKey {
  readonly id: string;
  /** The text that a client shows. */
  readonly key: string;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined for anything else. */
  readonly json: AnyJson;
}

export interface ToolReply extends HttpReply {
  /** The structured content of a result; undefined for a JSON-RPC error. */
  readonly content: AnyJson;
}

/** Two gateways and a worker of one release, as an operator starts them, on a Redis of their own. */
export class AttackedDeployment {
  readonly redisUrl: string;
  readonly gateways: readonly BatonProcess[];
  readonly worker: BatonProcess;
  private readonly entry: string;
  private readonly agents: BatonProcess[] = [];
  private readonly stopRedis: () => Promise<void>;

  private constructor(
    redis: { readonly url: string; stop(): Promise<void> },
    gateways: readonly BatonProcess[],
    worker: BatonProcess,
    entry: string,
  ) {
    this.entry = entry;
    this.redisUrl = redis.url;
    this.stopRedis = () => redis.stop();
    this.gateways = gateways;
    this.worker = worker;
  }

  /** `entry` is the command of the release. */
  static async start(entry: string, more: NodeJS.ProcessEnv = {}): Promise<AttackedDeployment> {
    const redis = await startPrivateRedis({});
    const environment = { ...PROCESS_ENVIRONMENT, REDIS_URL: redis.url, ...more };
    const gateway = () => BatonProcess.start('gateway', environment, GATEWAY_READY_LINE, entry);
    const started = await Promise.allSettled([
      gateway(),
      gateway(),
      BatonProcess.start('worker', environment, WORKER_READY_LINE, entry),
    ]);
    const processes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const [first, second, worker] = processes;
    if (first !== undefined && second !== undefined && worker !== undefined)
      return new AttackedDeployment(redis, [first, second], worker, entry);
    for (const one of processes) await one.stop('SIGKILL');
    await redis.stop();
    throw new Error(started.map((one) => (one.status === 'rejected' ? String(one.reason) : '')).join('\n'));
  }

  url(gateway = 0): string {
    return this.gateways[gateway]?.url ?? '';
  }

  /** Starts `baton agent` of the same release with settings of its own; `onLine` receives its output. */
  async startAgent(
    key: string,
    settings: NodeJS.ProcessEnv,
    onLine: (line: string) => void,
  ): Promise<BatonProcess> {
    const environment = { BATON_URL: this.url(), BATON_API_KEY: key, ...settings };
    const agent = await BatonProcess.start('agent', environment, AGENT_READY_LINE, this.entry, onLine);
    this.agents.push(agent);
    return agent;
  }

  /** One HTTP request to a gateway; any status is a reply. */
  async send(
    method: string,
    path: string,
    options: { key?: string; body?: unknown; headers?: Record<string, string>; gateway?: number } = {},
  ): Promise<HttpReply> {
    const { key, body, headers, gateway } = options;
    const reply = await fetch(`${this.url(gateway)}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, text, json: parseJson(text) };
  }

  /** A JSON-RPC request over MCP. */
  async rpc(key: string, method: string, params: unknown, gateway = 0): Promise<HttpReply> {
    return this.send('POST', '/mcp', { key, body: { jsonrpc: '2.0', id: 1, method, params }, gateway });
  }

  async callTool(key: string, name: string, args: unknown, gateway = 0): Promise<ToolReply> {
    const reply = await this.rpc(key, 'tools/call', { name, arguments: args }, gateway);
    return { ...reply, content: reply.json?.result?.structuredContent };
  }

  /** Parks a delegated call; returns its `taskId` and `interactionId`. Errors: when it does not park. */
  async delegate(key: string, requestParameters: object = {}, more: object = {}): Promise<AnyJson> {
    const messages = [{ role: 'user', content: 'hello' }];
    const { content, text } = await this.callTool(key, 'agent_llm', {
      delegatedCallDetails: {
        originalCommand: 'test',
        serviceType: 'generateText',
        requestParameters: { messages, ...requestParameters },
        ...more,
      },
    });
    if (content?.interactionId === undefined) throw new Error(`the call did not park: ${text.slice(0, 500)}`);
    return content;
  }

  /** A request of the operator. Errors: for any status that is not 2xx. */
  async asOperator(method: string, path: string, body?: object): Promise<AnyJson> {
    const reply = await this.send(method, `/v1${path}`, { key: OPERATOR_TOKEN, body });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  }

  /** Creates a tenant with an id of its own, which it returns. */
  async createTenant(limits: Partial<Limits> = {}): Promise<string> {
    const id = `t${randomBytes(6).toString('hex')}`;
    await this.asOperator('POST', '/tenants', { id, limits });
    return id;
  }

  async createKey(tenant: string, input: Partial<KeyInput> = {}): Promise<ApiKey> {
    return this.asOperator('POST', `/tenants/${tenant}/keys`, { name: 'test', scopes: ['mcp'], ...input });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.agents, ...this.gateways, this.worker].map((one) => one.stop('SIGKILL')));
    await this.stopRedis();
  }
}

function parseJson(text: string): AnyJson {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
