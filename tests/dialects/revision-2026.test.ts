import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc, successAnswer } from '../harness/mcp-client.ts';
import {
  connectSecondClient,
  ENVELOPE,
  requestOf2026,
  REVISION,
  standardHeaders,
  TASKS,
} from './client-of-2026.ts';

/** MCP 2026-07-28 at the address of the 2025 revisions: two replicas, requests without an SDK and the official client. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(async () => baton?.stop());

const send = (
  method: string,
  params: AnyJson = {},
  options: Parameters<typeof requestOf2026>[4] = {},
  at = 0,
) => requestOf2026(baton.url(at), baton.apiKey, method, params, options);

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const ofBaton = { name: 'baton', version: expect.any(String) };

describe('the official client', () => {
  for (const [name, mode] of Object.entries({
    'that negotiates': 'auto',
    'that is pinned to 2026-07-28': { pin: REVISION },
    'that speaks 2025': 'legacy',
  } as const)) {
    test(`${name} does a delegation over two replicas`, async () => {
      const clients = [
        await connectSecondClient(baton.url(0), baton.apiKey, mode),
        await connectSecondClient(baton.url(1), baton.apiKey, mode),
      ] as const;
      expect(clients.map((client) => client.getNegotiatedProtocolVersion())).toEqual(
        Array.from({ length: 2 }, () => (mode === 'legacy' ? '2025-11-25' : REVISION)),
      );
      const asked: AnyJson = await clients[0].callTool({ name: 'bench_echo', arguments: { text: 'x' } });
      expect(asked.structuredContent.status).toBe('pending_agent_llm_action');
      const { interactionId } = asked.structuredContent;
      const agentLLMResponse = successAnswer({ object: { value: 'answered' } });
      const answered: AnyJson = await clients[1].callTool({
        name: 'agent_llm',
        arguments: { interactionId, agentLLMResponse, waitMs: 10_000 },
      });
      expect(answered.structuredContent).toMatchObject({
        outcome: { status: 'completed', result: { value: 'answered' } },
      });
      const { tools } = await clients[1].listTools();
      expect(tools.map((tool) => tool.name)).toContain('add_task');
      expect((await clients[0].listPrompts()).prompts.map((prompt) => prompt.name)).toContain(
        'baton.next_task',
      );
      expect((await clients[0].listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
      await expect(clients[0].callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({
        code: -32602,
      });
      await Promise.all(clients.map((client) => client.close()));
    });
  }
});

describe('each request', () => {
  test('server/discover tells revisions, capabilities and how to use the tools', async () => {
    const { status, body } = await send('server/discover');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 7,
        result: {
          resultType: 'complete',
          supportedVersions: [REVISION],
          capabilities: {
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { listChanged: true, subscribe: true },
            completions: {},
            logging: {},
            extensions: { [TASKS]: {} },
          },
          instructions: expect.stringContaining('agent_llm'),
          ttlMs: 3_600_000,
          cacheScope: 'public',
          _meta: { [SERVER_INFO]: expect.objectContaining(ofBaton) },
        },
      },
    });
  });

  test('has a result that is complete, names the server and says how long a list may be kept', async () => {
    const kept: Record<string, [number, string]> = {};
    for (const [method, params] of Object.entries({
      'tools/list': {},
      'prompts/list': {},
      'resources/list': {},
      'resources/templates/list': {},
      'tools/call': { name: 'get_tasks', arguments: {} },
      'prompts/get': { name: 'baton.next_task' },
      'completion/complete': {
        ref: { type: 'ref/prompt', name: 'baton.next_task' },
        argument: { name: 'projectRoot', value: '' },
      },
    })) {
      const { status, body } = await send(method, params);
      expect({ method, status, error: body.error }).toEqual({ method, status: 200, error: undefined });
      const { resultType, _meta, ttlMs, cacheScope } = body.result;
      expect({ method, resultType, server: _meta[SERVER_INFO] }).toEqual({
        method,
        resultType: 'complete',
        server: expect.objectContaining(ofBaton),
      });
      if (ttlMs !== undefined) kept[method] = [ttlMs, cacheScope];
    }
    expect(kept).toEqual({
      'tools/list': [60_000, 'private'],
      'prompts/list': [60_000, 'private'],
      'resources/list': [0, 'private'],
      'resources/templates/list': [3_600_000, 'public'],
    });
  });

  test('has what its tool gives, as a client of 2025 gets it', async () => {
    const call = { name: 'get_tasks', arguments: {} };
    const { body: of2026 } = await send('tools/call', call);
    const { body: of2025 } = await postJsonRpc(
      baton.url(),
      baton.apiKey,
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: call },
      { 'mcp-protocol-version': '2025-11-25' },
    );
    const { resultType: _, _meta, ...result } = of2026.result;
    expect(result).toEqual(of2025.result);
  });

  test('is told its progress, and the events of its call where it names a level of log messages', async () => {
    const lines = async (level: string | undefined) => {
      const meta = {
        ...ENVELOPE,
        progressToken: 'p',
        ...(level && { 'io.modelcontextprotocol/logLevel': level }),
      };
      const { text } = await send(
        'tools/call',
        { name: 'bench_echo', arguments: { text: level ?? '' } },
        { meta },
      );
      return text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice('data: '.length)))
        .filter(({ method }) => method === 'notifications/message');
    };
    expect(await lines(undefined)).toEqual([]);
    expect(await lines('warning')).toEqual([]);
    const [parked] = await lines('info');
    expect(parked.params).toMatchObject({
      level: 'info',
      logger: 'baton',
      data: { event: 'parked', tool: 'bench_echo', taskId: expect.any(String) },
    });
  });

  test('needs no session, and one that it shows is not looked at', async () => {
    const { status, headers } = await send(
      'server/discover',
      {},
      { headers: { 'mcp-session-id': 'nonsense' } },
    );
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
  });
});

describe('what is wrong', () => {
  const call = { name: 'get_tasks', arguments: {} };
  const without = (key: string) =>
    Object.fromEntries(Object.entries(ENVELOPE).filter(([name]) => name !== key));
  const VERSION = 'io.modelcontextprotocol/protocolVersion';

  test.each<[string, () => ReturnType<typeof send>, number, number, RegExp]>([
    [
      'a header with another version',
      () => send('tools/call', call, { headers: { 'mcp-protocol-version': '2025-11-25' } }),
      400,
      -32020,
      /2025-11-25/,
    ],
    [
      'another method in the header',
      () => send('tools/call', call, { headers: { 'mcp-method': 'tools/list' } }),
      400,
      -32020,
      /tools\/list/,
    ],
    [
      'another name in the header',
      () => send('tools/call', call, { headers: { 'mcp-name': 'add_task' } }),
      400,
      -32020,
      /Mcp-Name.*add_task.*get_tasks/,
    ],
    [
      'a name that is no base64',
      () => send('tools/call', call, { headers: { 'mcp-name': '=?base64?%%?=' } }),
      400,
      -32020,
      /base64/,
    ],
    [
      'a version that is not spoken',
      () =>
        send('tools/call', call, {
          headers: { 'mcp-protocol-version': '2099-01-01' },
          meta: { ...ENVELOPE, [VERSION]: '2099-01-01' },
        }),
      400,
      -32022,
      /2099-01-01/,
    ],
    [
      'a request without capabilities',
      () => send('tools/call', call, { meta: without('io.modelcontextprotocol/clientCapabilities') }),
      400,
      -32602,
      /clientCapabilities/,
    ],
    [
      'a request without its version',
      () => send('tools/call', call, { meta: without(VERSION) }),
      400,
      -32602,
      /protocolVersion/,
    ],
    [
      'capabilities that are none',
      () =>
        send('tools/call', call, { meta: { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': 5 } }),
      400,
      -32602,
      /clientCapabilities/,
    ],
    [
      'initialize',
      () =>
        send('initialize', {
          protocolVersion: REVISION,
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        }),
      404,
      -32601,
      /not found/,
    ],
    ['ping', () => send('ping'), 404, -32601, /not found/],
    [
      'a subscription of 2025',
      () => send('resources/subscribe', { uri: 'x' }),
      404,
      -32601,
      /not found: resources\/subscribe; subscriptions\/listen with notifications.resourceSubscriptions/,
    ],
    ['a task of 2025', () => send('tasks/list'), 404, -32601, /not found/],
    ['an unknown method', () => send('tools/dance'), 404, -32601, /not found/],
    [
      'an unknown method, of which log messages are asked for',
      () => send('tools/dance', {}, { meta: { ...ENVELOPE, 'io.modelcontextprotocol/logLevel': 'debug' } }),
      404,
      -32601,
      /not found/,
    ],
    ['an unknown tool', () => send('tools/call', { name: 'nothing' }), 200, -32602, /Unknown tool: nothing/],
    [
      'an unknown resource',
      () => send('resources/read', { uri: 'task://none' }),
      200,
      -32602,
      /task:\/\/none/,
    ],
  ])('%s', async (_, request, status, code, message) => {
    const { status: given, body } = await request();
    expect([given, body.error?.code, body.error?.message]).toEqual([
      status,
      code,
      expect.stringMatching(message),
    ]);
    expect(body.id).toBe(7);
  });

  test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
    'a request without the header %s',
    async (header) => {
      const { [header]: _, ...headers } = standardHeaders('tools/call', call);
      const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { ...call, _meta: ENVELOPE } };
      const { status, body: refused } = await postJsonRpc(baton.url(), baton.apiKey, body, headers);
      expect([status, refused.error.code, refused.error.message.toLowerCase()]).toEqual([
        400,
        -32020,
        expect.stringContaining(header),
      ]);
    },
  );

  test('a batch with a request of it', async () => {
    const body = [{ jsonrpc: '2.0', id: 7, method: 'server/discover', params: { _meta: ENVELOPE } }];
    const { status, body: refused } = await postJsonRpc(baton.url(), baton.apiKey, body);
    expect([status, refused.error.code]).toEqual([400, -32600]);
    // Its header alone says which revision it is of.
    const bare = [{ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} }];
    const named = await postJsonRpc(baton.url(), baton.apiKey, bare, standardHeaders('tools/list'));
    expect([named.status, named.body.error.code]).toEqual([400, -32600]);
  });

  test('a JSON-RPC response, which it has none of', async () => {
    const response = { jsonrpc: '2.0', id: 'x', result: {} };
    const headers = { 'mcp-protocol-version': REVISION };
    const { status, body } = await postJsonRpc(baton.url(), baton.apiKey, response, headers);
    expect([status, body.error.data.field]).toEqual([400, 'Mcp-Protocol-Version']);
    expect(body.error.message).toContain('takes no JSON-RPC responses');
  });

  test('a key that is none is refused before anything else', async () => {
    const wrong = { headers: { authorization: 'Bearer nonsense', 'mcp-method': 'tools/list' } };
    expect((await send('tools/call', call, wrong)).status).toBe(401);
  });

  test('GET and DELETE, for which there is no session', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { authorization: `Bearer ${baton.apiKey}`, 'mcp-protocol-version': REVISION };
      const { status, headers: given } = await fetch(`${baton.url()}/mcp`, { method, headers });
      expect([method, status, given.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  test('a name beyond ASCII stands in its header as base64', async () => {
    const name = 'größe';
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    const { body } = await send('tools/call', { name }, { headers: { 'mcp-name': encoded } });
    expect(body.error).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
  });
});
