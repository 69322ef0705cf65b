import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { successAnswer, type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';

const MCP = { accept: 'application/json, text/event-stream' };
const rpc = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const hello = (protocolVersion: string) =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } });
const tool = (name: string, args: object = {}, meta?: object) =>
  rpc('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });

describe('/mcp', () => {
  let baton: InProcessDeployment;
  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  });
  afterAll(() => baton.stop());
  const send = (
    body: unknown,
    headers: Record<string, string> = MCP,
    key: string | undefined = baton.apiKey,
  ) => postJsonRpc(baton.url(), key, body, headers);

  test('refuses a missing, malformed, unknown and revoked key with 401 that says where to get one', async () => {
    const mistyped = baton.apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const { id, key: revoked } = await baton.store
      .tenant('acme')
      .apiKeys.create({ name: 'gone', scopes: ['mcp'] });
    await baton.store.tenant('acme').apiKeys.revoke(id);
    const keys = ['', 'nonsense', mistyped, revoked];
    for (const key of keys) {
      for (const body of [
        tool('get_tasks'),
        rpc('initialize'),
        rpc('nonsense'),
        tool('nonsense'),
        tool('get_tasks', { tag: 7 }),
        '{',
        7,
      ]) {
        const { status, headers, body: said } = await send(body, MCP, key);
        expect([key, status]).toEqual([key, 401]);
        expect(headers.get('www-authenticate')).toMatch(
          /^Bearer .*resource_metadata="http.*\/\.well-known\/oauth-protected-resource\/mcp"/,
        );
        expect(said.error.data.code).toBe('unauthenticated');
      }
    }
  });

  test('serves protected-resource metadata and health checks without a credential', async () => {
    const { headers } = await send(rpc('ping'), MCP, '');
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
    const described = (await (await fetch(metadata)).json()) as AnyJson;
    expect(described).toMatchObject({ resource: `${baton.url()}/mcp`, bearer_methods_supported: ['header'] });
    for (const [path, status] of [
      ['/healthz', 200],
      ['/readyz', 200],
      ['/metrics', 401],
      ['/nothing', 404],
    ] as const) {
      expect([path, (await fetch(baton.url() + path)).status]).toEqual([path, status]);
    }
    const metrics = await fetch(`${baton.url()}/metrics`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    expect(await metrics.text()).toContain('baton_http_request_seconds_count{route="/mcp"');
  });

  test('answers -32602 for a malformed _meta, and never leaves the request waiting', async () => {
    for (const method of ['ping', 'tools/list']) {
      for (const _meta of [[], 7, 'x', { 'io.modelcontextprotocol/related-task': 7 }]) {
        const { body } = await send(rpc(method, { _meta }));
        expect([method, _meta, body?.error?.code]).toEqual([method, _meta, -32602]);
      }
    }
  });

  test('ignores the task parameter of requests that cannot be tasks', async () => {
    for (const body of [rpc('ping', { task: { ttl: 1 } }), rpc('tools/list', { task: {} })])
      expect((await send(body)).body.error).toBeUndefined();
  });

  test('refuses a batch of 2,000 messages, and one message with 3,000 fields, with 413 limit_size', async () => {
    const fields = Object.fromEntries(Array.from({ length: 3_000 }, (_value, n) => [`k${n}`, 1]));
    for (const body of [Array.from({ length: 2_000 }, () => rpc('ping')), tool('get_tasks', fields)]) {
      const { status, body: said } = await send(body);
      expect([status, said.error.data.code]).toEqual([413, 'limit_size']);
      expect((await send(body, MCP, 'bt_none')).status).toBe(401);
    }
  });

  test('closes the connection on `connection: close`, even when the reply is a stream', async () => {
    const { headers } = await send(rpc('ping'), { ...MCP, connection: 'close' });
    expect(headers.get('connection')).toBe('close');
  });

  test('never looks up a key whose checksum is wrong', async () => {
    const monitor = await RedisMonitor.open(baton.redisUrl);
    await send(
      tool('get_tasks'),
      MCP,
      baton.apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    );
    await send(tool('get_tasks'));
    const lookUps = (await monitor.commands()).filter((command) => command.includes(':key:'));
    monitor.close();
    expect(lookUps).toHaveLength(1);
  });

  test('refuses a key without the required scope with 403 that names the scope', async () => {
    for (const scope of ['admin', 'agent'] as const) {
      const key = await baton.createKey({ scopes: [scope] });
      const { status, headers, body } = await send(tool('parse_prd', { prd: 'x' }), MCP, key);
      expect([scope, status, body.error.data.code]).toEqual([scope, 403, 'insufficient_scope']);
      expect(headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="mcp"/);
    }
    expect((await send(rpc('tools/list'), MCP, await baton.createKey({ scopes: ['agent'] }))).status).toBe(
      200,
    );
    expect((await send(rpc('tools/list'), MCP, await baton.createKey({ scopes: ['admin'] }))).status).toBe(
      403,
    );
    expect((await send(rpc('tools/list'), MCP, OPERATOR_TOKEN)).status).toBe(403);
  });

  test('accepts configured origins and refuses others with 403', async () => {
    expect((await send(rpc('ping'), { ...MCP, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send(rpc('ping'), { ...MCP, origin: 'null' })).status).toBe(403);
    expect((await send(rpc('ping'), { ...MCP, origin: 'https://app.example' })).status).toBe(200);
  });

  test('echoes the JSON-RPC id of a request, whether zero, negative or a string', async () => {
    for (const id of [0, -1, 7, 'seven', '']) {
      const { body } = await send(rpc('ping', {}, id));
      expect(body).toEqual({ jsonrpc: '2.0', id, result: {} });
    }
  });

  test('negotiates the protocol version, and refuses an unsupported one in the header with 400', async () => {
    for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const { body } = await send(hello(protocolVersion));
      expect(body.result).toMatchObject({
        protocolVersion,
        serverInfo: { name: 'baton' },
        capabilities: { tools: {} },
      });
      expect((await send(rpc('ping'), { ...MCP, 'mcp-protocol-version': protocolVersion })).status).toBe(200);
    }
    expect((await send(rpc('ping'), { ...MCP, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });

  test('accepts notifications with 202, refuses responses to what it never asked, and takes the batches of revision 2025-03-26', async () => {
    expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    expect((await send({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(400);
    const batch = await send([
      rpc('ping', {}, 1),
      rpc('ping', {}, 2),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]);
    expect(
      [...batch.text.matchAll(/"id":(\d)/g)].map(([, id]) => Number(id)).toSorted((a, b) => a - b),
    ).toEqual([1, 2]);
  });

  test('answers invalid JSON and invalid requests with JSON-RPC error codes, never with a 500', async () => {
    const cases: [unknown, number, number][] = [
      ['{', 400, -32700],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}', 400, -32700],
      [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}', 'latin1'), 400, -32700],
      [`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400, -32602],
      [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
      [{ jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
      [7, 400, -32600],
      [{ ...rpc('ping'), extra: 1 }, 400, -32600],
      [rpc('tools/list', [] as object), 400, -32602],
      [rpc('initialize', { protocolVersion: 5 }), 400, -32602],
      [rpc('no/such/method'), 200, -32601],
      [tool('no_such_tool'), 200, -32602],
      [rpc('tools/call', { arguments: {} }), 200, -32602],
      [rpc('tools/call', { name: 3 }), 200, -32602],
      [rpc('tools/call', { name: 'get_tasks', arguments: [] }), 200, -32602],
      [rpc('tools/list', { cursor: 'not ours' }), 200, -32602],
    ];
    for (const [body, status, code] of cases) {
      const said = await send(body);
      expect([body, said.status, said.body?.error.code]).toEqual([body, status, code]);
    }
  });

  test('refuses a body over the limits with 413, and another content type with 415', async () => {
    const big = await send(tool('parse_prd', { prd: 'x'.repeat(1_100_000) }));
    expect([big.status, big.body.error.data]).toEqual([
      413,
      expect.objectContaining({ code: 'limit_size', limit: 'requestBytes', most: 1_048_576 }),
    ]);
    expect((await send('x'.repeat(5_000_000))).status).toBe(413);
    expect((await send('hello', { ...MCP, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('{}', { ...MCP, 'content-type': 'application/json; charset=utf-16' })).status).toBe(
      415,
    );
    expect((await send('{}', { ...MCP, 'content-encoding': 'gzip' })).status).toBe(415);
    for (const method of ['HEAD', 'PUT', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await fetch(`${baton.url()}/mcp`, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, POST, DELETE']);
    }
  });

  test("limits a tenant's request rate with 429 and Retry-After, and never limits answers", async () => {
    const slow = await baton.addTenant('slow', { requestsPerSecond: 1, burst: 2 });
    const parked = await send(tool('bench_echo', { text: 'x' }), MCP, slow);
    expect((await send(tool('bench_echo', { text: 'x' }), MCP, slow)).status).toBe(200);
    const refused = await send(tool('bench_echo', { text: 'x' }), MCP, slow);
    expect([refused.status, refused.body.error.data.code]).toEqual([429, 'limit_rate']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const { interactionId } = parked.body.result.structuredContent;
    const answered = await send(
      tool('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'paid for' }) }),
      MCP,
      slow,
    );
    expect([answered.status, answered.body.result?.structuredContent.outcome.status]).toEqual([
      200,
      'completed',
    ]);
  });

  test('limits pending requests, and accepts the next call once one was answered', async () => {
    const key = await baton.addTenant('few', { pendingInteractions: 2 });
    const parked = await send(tool('bench_echo', { text: '1' }), MCP, key);
    await send(tool('bench_echo', { text: '2' }), MCP, key);
    const refused = await send(tool('bench_echo', { text: '3' }), MCP, key);
    expect([refused.status, refused.body.error.data]).toEqual([
      429,
      expect.objectContaining({ code: 'limit_pending', most: 2 }),
    ]);
    const { interactionId } = parked.body.result.structuredContent;
    await send(tool('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 7 }) }), MCP, key);
    // The first one is asked again, since a resume has no limit.
    expect((await send(tool('bench_echo', { text: '3' }), MCP, key)).body.error.data.code).toBe(
      'limit_pending',
    );
    const { interactions } = (await send(tool('pending_interactions'), MCP, key)).body.result
      .structuredContent;
    const last = {
      interactionId: interactions[0].interactionId,
      agentLLMResponse: successAnswer({ value: 'right' }),
    };
    await send(tool('agent_llm', last), MCP, key);
    expect((await send(tool('bench_echo', { text: '3' }), MCP, key)).body.error).toBeUndefined();
  });

  test('names the field of every invalid argument, and parks nothing', async () => {
    const cases: [string, object, string][] = [
      ['parse_prd', {}, 'prd'],
      ['parse_prd', { prd: 7 }, 'prd'],
      ['parse_prd', { prd: 'x', numTasks: 'many' }, 'numTasks'],
      ['parse_prd', { prd: 'x', numTasks: 1e9 }, 'numTasks'],
      ['parse_prd', { prd: 'x', nonsense: 1 }, 'nonsense'],
      ['parse_prd', { prd: 'x', tag: 'a/b c' }, 'tag'],
      ['parse_prd', { prd: 'x', projectRoot: 'p'.repeat(2_000) }, 'projectRoot'],
      ['get_task', {}, 'id'],
      ['get_task', { id: {} }, 'id'],
      ['get_tasks', { status: ['done'] }, 'status'],
      ['next_task', { tag: {} }, 'tag'],
      ['set_task_status', { id: '1' }, 'status'],
      ['set_task_status', { id: '1', status: 'sideways' }, 'status'],
      ['agent_llm', {}, 'agentLLMResponse'],
      ['agent_llm', { interactionId: 'x' }, 'agentLLMResponse'],
      ['agent_llm', { interactionId: 'x', agentLLMResponse: { status: 'success' } }, 'agentLLMResponse.data'],
      ['agent_llm', { interactionId: 'x', agentLLMResponse: { data: {} } }, 'agentLLMResponse.status'],
      [
        'agent_llm',
        { interactionId: 'x', agentLLMResponse: { status: 'error' } },
        'agentLLMResponse.errorDetails',
      ],
      ['agent_llm', { interactionId: 'x', agentLLMResponse: successAnswer({}), waitMs: 26_000 }, 'waitMs'],
      [
        'agent_llm',
        {
          delegatedCallDetails: {
            originalCommand: 'c',
            serviceType: 'sing',
            requestParameters: { messages: [{ role: 'user', content: 'x' }] },
          },
        },
        'delegatedCallDetails.serviceType',
      ],
      ['pending_interactions', { claim: { max: 0, leaseMs: 1_000 } }, 'claim.max'],
      ['pending_interactions', { cursor: 'nonsense' }, 'cursor'],
      ['pending_interactions', { status: 'lost' }, 'status'],
      ['task_status', {}, 'taskId'],
      ['task_status', { taskId: 'x', waitMs: -1 }, 'waitMs'],
      ['cancel_task', { taskId: [] }, 'taskId'],
    ];
    const principal = 'clean';
    const key = await baton.createKey({ principal });
    for (const [name, args, field] of cases) {
      const { status, body } = await send(tool(name, args), MCP, key);
      const error: AnyJson = body.result?.structuredContent?.error;
      expect([name, args, status, body.result?.isError, error?.code]).toEqual([
        name,
        args,
        200,
        true,
        'invalid_arguments',
      ]);
      expect([name, args, error.field]).toEqual([name, args, field]);
      expect(body.result.content[0].text).toContain(field.split('.').at(-1));
    }
    expect(
      (await send(tool('pending_interactions'), MCP, key)).body.result.structuredContent.interactions,
    ).toEqual([]);
  });

  test('answers malformed ids like ids that do not exist', async () => {
    const ids = [
      'x',
      '',
      ' ',
      '00000000-0000-0000-0000-000000000000',
      'acme:0',
      '../../x',
      '\u0000',
      'é'.repeat(50),
    ].filter(Boolean);
    for (const id of ids) {
      for (const [name, args, code] of [
        ['agent_llm', { interactionId: id, agentLLMResponse: successAnswer({}) }, 'interaction_not_found'],
        ['pending_interactions', { interactionId: id }, 'interaction_not_found'],
        ['task_status', { taskId: id }, 'task_not_found'],
        ['cancel_task', { taskId: id }, 'task_not_found'],
      ] as const) {
        const { body } = await send(tool(name, args));
        expect([name, id, body.result?.structuredContent.error?.code]).toEqual([name, id, code]);
      }
    }
  });

  test('keeps an open wait alive with SSE comments until its reply', async () => {
    const sleeping = await send(tool('bench_sleep', { ms: 600_000 }));
    const { taskId } = sleeping.body.result.structuredContent;
    const held = await send(tool('task_status', { taskId, waitMs: 4_000 }));
    expect(held.headers.get('content-type')).toBe('text/event-stream');
    expect(held.text).toMatch(/^: /);
    expect(held.body.result.structuredContent).toMatchObject({ taskId, status: 'working' });
  });

  // Before the wait would end by itself.
  test('on drain ends open waits with the current status, and stops', { timeout: 20_000 }, async () => {
    const gateway = await baton.addGateway();
    const sleeping = await send(tool('bench_sleep', { ms: 600_000 }));
    const { taskId } = sleeping.body.result.structuredContent;
    const held = postJsonRpc(gateway.url, baton.apiKey, tool('task_status', { taskId, waitMs: 25_000 }), MCP);
    const begun = await postJsonRpc(gateway.url, baton.apiKey, hello('2025-11-25'), MCP);
    const session = begun.headers.get('mcp-session-id') ?? '';
    const headers = { authorization: `Bearer ${baton.apiKey}`, 'mcp-session-id': session };
    const stream = await fetch(`${gateway.url}/mcp`, { headers });
    await Promise.all([gateway.stop(), stream.text()]);
    expect((await held).body.result.structuredContent).toMatchObject({ taskId, status: 'working' });
  });
});
