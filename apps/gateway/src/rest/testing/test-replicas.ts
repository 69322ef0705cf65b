import { startPrivateRedis } from '@baton/local-redis';
import { syntheticOperations } from '@baton/operations';
import { Store } from '@baton/store';
import { DEFAULT_EDGE_LIMITS } from '../../configuration.ts';
import { createLogger, type RunningGateway, startGateway } from '../../index.ts';
import { OpenApiResponseChecker } from './openapi-response-checker.ts';

export const TEST_OPERATOR_TOKEN = 'operator-token-of-the-tests';
export const TEST_SECRET = 'pepper of the tests';

export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of many shapes, held against the document
  readonly body: any;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly json?: unknown;
  /** A body as it is, for what is no JSON. */
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}

/** Speaks to one replica. Every answer of REST is held against the replica's own OpenAPI document. */
export class RestTestClient {
  readonly url: string;
  private readonly contract: Promise<OpenApiResponseChecker>;

  constructor(url: string) {
    this.url = url;
    this.contract = fetch(`${url}/v1/openapi.json`).then(
      async (response) => new OpenApiResponseChecker(await response.json()),
    );
  }

  async send(
    method: string,
    path: string,
    { token, json, raw, headers = {} }: RequestOptions = {},
  ): Promise<RestResponse> {
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
    (await this.contract).check(method, path, answer);
    return answer;
  }

  /** Starts a task of a test operation over MCP, as an agent's client does; returns the directive. */
  async delegate(
    token: string,
    tool = 'bench_echo',
    args: object = { text: 'hello' },
  ): Promise<RestResponse['body']> {
    const response = await fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: args },
      }),
    });
    const reply = (await response.json()) as { result?: { structuredContent: unknown } };
    if (reply.result === undefined) throw new Error(`tools/call: ${JSON.stringify(reply)}`);
    return reply.result.structuredContent;
  }
}

export interface TestReplicas {
  readonly one: RestTestClient;
  readonly other: RestTestClient;
  readonly redisUrl: string;
  stop(): Promise<void>;
}

/** Two gateways on one Redis of their own, and no worker. */
export async function startTestReplicas(): Promise<TestReplicas> {
  const redis = await startPrivateRedis();
  const stores: Store[] = [];
  const gateways: RunningGateway[] = [];
  const start = async (replica: string) => {
    const store = await Store.open({ url: redis.url, secret: TEST_SECRET, replica });
    stores.push(store);
    const configuration = {
      host: '127.0.0.1',
      port: 0,
      replica,
      operatorToken: TEST_OPERATOR_TOKEN,
      publicUrl: undefined,
      trustProxy: false,
      allowedOrigins: [],
      metricsOpen: true,
      unreadyMs: 0,
      drainMs: 1_000,
      edgeLimits: { ...DEFAULT_EDGE_LIMITS, wrongCredentialsPerSecond: 1_000 },
    };
    const gateway = await startGateway(configuration, store, createLogger('silent', {}), syntheticOperations);
    gateways.push(gateway);
    return new RestTestClient(gateway.url);
  };
  return {
    one: await start('one'),
    other: await start('other'),
    redisUrl: redis.url,
    async stop() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await Promise.all(stores.map((store) => store.close()));
      await redis.stop();
    },
  };
}

let tenants = 0;

export interface TestTenant {
  readonly id: string;
  /** Keys of this tenant, by what they may do. `mcp` and `peer` are two principals. */
  readonly mcp: string;
  readonly peer: string;
  readonly agent: string;
  readonly admin: string;
}

/** A new tenant with a key for each role. */
export async function createTestTenant(client: RestTestClient, limits?: object): Promise<TestTenant> {
  const id = `tenant-${++tenants}`;
  await expectStatus(
    client.send('POST', '/v1/tenants', { token: TEST_OPERATOR_TOKEN, json: { id, limits } }),
    201,
  );
  const [mcp, peer, agent, admin] = await Promise.all([
    createTestKey(client, id, ['mcp'], 'alice'),
    createTestKey(client, id, ['mcp'], 'bob'),
    createTestKey(client, id, ['agent'], 'answerer'),
    createTestKey(client, id, ['admin'], 'boss'),
  ]);
  return { id, mcp, peer, agent, admin };
}

export async function createTestKey(
  client: RestTestClient,
  tenant: string,
  scopes: readonly string[],
  principal?: string,
): Promise<string> {
  const json = { name: 'test', scopes, tools: 'all', ...(principal === undefined ? {} : { principal }) };
  const made = await expectStatus(
    client.send('POST', `/v1/tenants/${tenant}/keys`, { token: TEST_OPERATOR_TOKEN, json }),
    201,
  );
  return made.body.key as string;
}

async function expectStatus(asked: Promise<RestResponse>, status: number): Promise<RestResponse> {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer;
}
