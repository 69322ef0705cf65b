import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { answerInteractions } from '@baton/agent';
import { startPrivateRedis } from '@baton/local-redis';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';
import { BatonProcess, GATEWAY_READY_LINE, WORKER_READY_LINE } from '../processes/baton-process.ts';

/** What is refused says what to send instead: to a model, to a person in a terminal, to an operator who reads a log. */
let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(), baton.apiKey);
});
afterAll(async () => {
  await client?.close();
  await baton?.stop();
});

const post = async (path: string, body: object, token = baton.apiKey): Promise<AnyJson> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(baton.url() + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
};

test.each<[string, object, string]>([
  ['parse_prd', { prd: 'x', numtasks: 3 }, 'Did you mean "numTasks"?'],
  ['parse_prd', { prd: 'x', project_root: 'x', appends: true }, 'Did you mean "projectRoot", "append"?'],
  ['agent_llm', { interactionID: 'x', agentLLMResponse: {} }, 'Did you mean "interactionId"?'],
  ['pending_interactions', { claim: { max: 1, leaseMS: 1, holder: 'x' } }, 'Did you mean "leaseMs"?'],
  ['next_task', { colour: 'red' }, 'It takes projectRoot, tag'],
])('of %s is named with the nearest one: %j', async (tool, args, hint) => {
  const error = await callToolForError(client, tool, args);
  expect(error.code).toBe('invalid_arguments');
  expect(error.message).toContain(hint);
  expect((await post(`/v1/tools/${tool}`, args)).detail).toContain(hint);
});

test.each<[string, object, string]>([
  ['an id', { id: 'Bad Id' }, 'id: must match [a-z0-9-]{1,63} (given: "Bad Id")'],
  [
    'a limit that is too high',
    { id: 'x', limits: { openTasks: 999_999_999 } },
    'limits.openTasks: Too big: expected number to be <=10000000 (given: 999999999)',
  ],
])('a bad value, as %s is, is named with its field and what it may be', async (_claim, body, detail) => {
  expect((await post('/v1/tenants', body, OPERATOR_TOKEN)).detail).toBe(detail);
});

test('/metrics without a credential asks for the operator token, not for a key that it would refuse', async () => {
  const response = await fetch(`${baton.url()}/metrics`);
  expect(response.status).toBe(401);
  expect(await response.text()).toContain('Bearer <operator token>');
});

describe('an answer of the wrong shape', () => {
  test.each<[string, unknown, string]>([
    ['without a status', { data: { value: 'x' } }, 'agentLLMResponse.status'],
    ['with a status of its own', { status: 'done', data: {} }, 'agentLLMResponse.status'],
    ['that is the bare answer', { value: 'x' }, 'agentLLMResponse.status'],
    ['that is words', 'The answer is x', 'agentLLMResponse'],
  ])('%s is told the shape to send, which is taken then', async (_claim, agentLLMResponse, field) => {
    const { interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
    const error = await callToolForError(client, 'agent_llm', { interactionId, agentLLMResponse });
    expect(error).toMatchObject({ code: 'invalid_arguments', field });
    const [shape = ''] = /\{"status": "success".*?\}\}/.exec(error.message) ?? [];
    const overRest = await post(`/v1/interactions/${interactionId}/answer`, { agentLLMResponse });
    expect(overRest).toMatchObject({ code: 'invalid_arguments', field });
    expect(overRest.detail).toContain(shape);
    const filled = JSON.parse(shape.replace('"..."', JSON.stringify('{"value":"x"}')));
    const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse: filled });
    expect(outcome).toMatchObject({ status: 'completed' });
  });

  test('is taken as JSON text over REST too, as the message says', async () => {
    const { interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
    const agentLLMResponse = JSON.stringify({ status: 'success', data: { object: { value: 'x' } } });
    const { outcome } = await post(`/v1/interactions/${interactionId}/answer`, {
      agentLLMResponse,
      waitMs: 10_000,
    });
    expect(outcome).toMatchObject({ status: 'completed' });
  });

  test.each([
    [{ status: 'success' }, '{"text": "..."}'],
    [{ status: 'success', data: null }, '{"object": {...}}'],
  ])('%j is told what is missing', async (agentLLMResponse, shape) => {
    const { interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
    const error = await callToolForError(client, 'agent_llm', { interactionId, agentLLMResponse });
    expect(error).toMatchObject({ field: 'agentLLMResponse.data' });
    expect(error.message).toContain(shape);
  });
});

describe('an unknown argument', () => {
  test('of a REST route is too, and one of a megabyte costs no more than a short reply', async () => {
    const limits = { requestPerSecond: 5 };
    expect((await post('/v1/tenants', { id: 'x', limits }, OPERATOR_TOKEN)).detail).toContain(
      'Did you mean "requestsPerSecond"?',
    );
    // Of several shapes it is told those of the one that was sent, and never the very name that is refused.
    for (const [kind, hint] of [
      ['agent', 'It takes kind, modelId, fixedModel'],
      ['openai', 'Did you mean "baseUrl"?'],
    ]) {
      const route = { kind, [kind === 'agent' ? 'baseUrl' : 'baseURL']: 'https://llm.example/v1' };
      const response = await fetch(`${baton.url()}/v1/tenants/acme/roles/main`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ routes: [route] }),
      });
      const { code, detail } = (await response.json()) as AnyJson;
      expect([code, detail]).toEqual(['invalid_arguments', expect.stringContaining(hint ?? '')]);
    }
    const long = await post('/v1/tools/next_task', { ['x'.repeat(500_000)]: 1 });
    expect(JSON.stringify(long).length).toBeLessThan(3_000);
  });
});

test('the arguments of a prompt under a name of their own are told where they belong', async () => {
  const refused = await post('/v1/prompts/baton.next_task', { arguments: { projectRoot: 'x' } });
  expect(refused).toMatchObject({ code: 'invalid_arguments', field: 'arguments' });
  expect(refused.detail).toContain('the body itself has the arguments of the prompt, by name');
});

describe('a wrong key', () => {
  /** A client that would log in by OAuth where that is served, as coding agents are. */
  function provider(opened: URL[]): OAuthClientProvider {
    return {
      redirectUrl: 'http://127.0.0.1:1/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'], client_name: 'agent' },
      clientInformation: () => undefined,
      saveClientInformation: () => {},
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: (url) => void opened.push(url),
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
    };
  }

  test.each([
    ['mistyped', 'bt_acme_mistyped'],
    ['missing', undefined],
  ])('that is %s opens no page: the official client fails with words about the key', async (_claim, key) => {
    const opened: URL[] = [];
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${baton.url()}/mcp`), {
      authProvider: provider(opened),
      requestInit: { headers },
    });
    const failed = new Client({ name: 'tests', version: '1' }).connect(transport as never);
    await expect(failed).rejects.toThrow(/API keys.*"Authorization: Bearer <API key>"/);
    expect(opened).toEqual([]);
  });

  test('is named by the challenge itself, after the metadata', async () => {
    const response = await fetch(`${baton.url()}/mcp`, {
      method: 'POST',
      headers: { authorization: 'Bearer bt_acme_mistyped' },
    });
    expect(response.headers.get('www-authenticate')).toMatch(
      /error_description="The API key is unknown, [^"]+"$/,
    );
    const none = await fetch(`${baton.url()}/mcp`, { method: 'POST' });
    expect(none.headers.get('www-authenticate')).not.toContain('error');
  });

  test('leads nowhere at the addresses where a log-in might be, whatever is sent there', async () => {
    for (const [method, path, status] of [
      ['GET', '/.well-known/oauth-authorization-server', 404],
      ['GET', '/.well-known/openid-configuration/mcp', 404],
      ['GET', '/authorize?response_type=code', 400],
      ['POST', '/token', 400],
      ['POST', '/register', 400],
    ] as const) {
      const body = method === 'POST' ? { body: 'grant_type=authorization_code&code=x' } : {};
      const response = await fetch(baton.url() + path, { method, ...body });
      const said = (await response.json()) as AnyJson;
      expect([path, response.status, said.error]).toEqual([path, status, 'access_denied']);
      expect(said.error_description).toContain('API key');
    }
  });
});

describe('GET /', () => {
  const root = async (accept: string) => fetch(`${baton.url()}/`, { headers: { accept } });

  test('says without a key what this is, what is where, and which page says more: text, or JSON for who asks for it', async () => {
    const asText = await root('*/*');
    expect(asText.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await asText.text();
    expect(text).toMatch(/^Baton \d+\.\d+\.\d+\n/);
    const asJson = (await (await root('application/json')).json()) as AnyJson;
    expect(asJson.addresses.mcp).toBe(`${baton.url()}/mcp`);
    for (const value of [...Object.values(asJson.addresses), ...Object.values(asJson.pages)])
      expect(text).toContain(value);
    expect((await fetch(asJson.addresses.openapi)).status).toBe(200);
    expect((await fetch(asJson.addresses.health)).status).toBe(200);
  });

  test('is where a wrong address leads', async () => {
    expect((await post('/nothing', {})).detail).toContain('GET / says what is where');
  });
});

test('an agent that cannot reach Baton names the address and why, never only that fetch failed', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const url = `http://127.0.0.1:${port}/mcp`;
  const heard = await new Promise<string>((resolve) => {
    const agent = answerInteractions({
      url,
      key: baton.apiKey,
      answer: async () => ({ text: 'x' }),
      onEvent: (event) => {
        if (event.kind !== 'unreachable') return;
        resolve(event.message);
        void agent.stop(0);
      },
    });
    agent.done.catch(() => {});
  });
  expect(heard).toContain(url);
  expect(heard).toContain('ECONNREFUSED');
});

test('while Redis is away a gateway and a worker log one line each, without a stack, whatever is called', async () => {
  const redis = await startPrivateRedis({});
  const settings = {
    REDIS_URL: redis.url,
    BATON_SECRET: 'a secret of the tests',
    HOST: '127.0.0.1',
    PORT: '0',
  };
  const gateway = await BatonProcess.start(
    'gateway',
    { ...settings, BATON_OPERATOR_TOKEN: OPERATOR_TOKEN },
    GATEWAY_READY_LINE,
  );
  const worker = await BatonProcess.start('worker', settings, WORKER_READY_LINE);
  const processes = [gateway, worker];
  try {
    // It says where it listens beside its line of the log.
    await expect.poll(() => worker.output.join('\n')).toContain('baton worker works');
    const before = processes.map(({ output }) => output.length);
    const linesSince = () => processes.map(({ output }, at) => output.slice(before[at]));
    await redis.stop();
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    // Both look every 5 s; the worker's heartbeats are twice a second.
    await expect
      .poll(
        async () => {
          expect((await fetch(`${gateway.url}/v1/tenants`, { headers })).status).toBe(503);
          return linesSince().map((lines) => lines.length > 0);
        },
        { timeout: 20_000, interval: 200 },
      )
      .toEqual([true, true]);
    for (const lines of linesSince()) {
      expect(lines).toHaveLength(1);
      const { msg, trouble, err } = JSON.parse(lines[0] ?? '');
      expect([msg, trouble, err]).toEqual(['redis is not usable', 'redis does not answer', undefined]);
    }
  } finally {
    await Promise.all(processes.map((one) => one.stop('SIGKILL')));
  }
});

test('a mistyped variable is named at the start of a gateway, with the one that it means', async () => {
  const redis = await startPrivateRedis({});
  const settings = {
    REDIS_URL: redis.url,
    BATON_SECRET: 'a secret of the tests',
    HOST: '127.0.0.1',
    PORT: '0',
  };
  const gateway = await BatonProcess.start(
    'gateway',
    { ...settings, BATON_RETENTON_MS: '5000' },
    GATEWAY_READY_LINE,
  );
  expect(gateway.output.join('\n')).toContain('BATON_RETENTON_MS is no setting of Baton');
  expect(gateway.output.join('\n')).toContain('did you mean BATON_RETENTION_MS?');
  await gateway.stop('SIGKILL');
  await redis.stop();
});
