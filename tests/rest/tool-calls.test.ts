import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestTestClient } from '../../apps/gateway/src/rest/testing/test-replicas.ts';
import { AgentsFixture } from '../agents/agents-fixture.ts';
import { OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc, successAnswer } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';

/** One catalogue, two ways in: what MCP does by methods, REST does by routes. Every reply is held against the OpenAPI document. */
let fixture: AgentsFixture;
let one: RestTestClient;
let other: RestTestClient;

beforeAll(async () => {
  fixture = await AgentsFixture.start();
  const { baton } = fixture;
  [one, other] = [new RestTestClient(baton.url(0)), new RestTestClient(baton.url(1))];
});
afterAll(() => fixture?.baton.stop());

const key = () => fixture.baton.apiKey;
type Options = { token?: string; headers?: Record<string, string>; at?: RestTestClient };
const call = (name: string, json: unknown, { token = key(), headers = {}, at = one }: Options = {}) =>
  at.send('POST', `/v1/tools/${name}`, { token, json, headers });
const get = (path: string, token = key()) => other.send('GET', path, { token });

async function mcp(method: string, params: object, token = key()): Promise<AnyJson> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  return (await postJsonRpc(one.url, token, body)).body;
}
const mcpCall = (name: string, args: unknown, meta?: object, token?: string) =>
  mcp('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }, token);

/** Ids and times differ from call to call. */
const comparable = (value: unknown): AnyJson =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27,30}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
  );

test('a program with nothing but HTTP plans a project: call, 202, answer, result, on two replicas', async () => {
  const { status } = await call('initialize_project', { projectRoot: 'shop', name: 'Shop' });
  expect(status).toBe(200);
  const asked = await call('parse_prd', { prd: 'A shop', projectRoot: 'shop', numTasks: 1 });
  expect([asked.status, asked.body.status]).toEqual([202, 'pending_agent_llm_action']);
  const location = asked.headers.get('location') ?? '';
  expect(location).toBe(`${one.url}/v1/tasks/${asked.body.taskId}`);
  expect((await get(new URL(location).pathname)).body.status).toBe('input_required');

  const { interactions } = (await call('pending_interactions', {}, { at: other })).body;
  expect(interactions.map(({ interactionId }: AnyJson) => interactionId)).toContain(asked.body.interactionId);
  const tasks = [{ id: 1, title: 'Sell', description: 'd', details: '', testStrategy: '' }];
  const metadata = { projectName: 'Shop', totalTasks: 1, sourceFile: 'prd', generatedAt: '2026-01-01' };
  const { interactionId } = asked.body;
  const answered = await call(
    'agent_llm',
    { interactionId, agentLLMResponse: successAnswer({ object: { tasks, metadata } }), waitMs: 20_000 },
    { at: other },
  );
  expect([answered.status, answered.body.outcome.status]).toEqual([200, 'completed']);
  expect((await get(new URL(location).pathname)).body.result).toEqual(answered.body.outcome.result);
  const shown = await call('get_tasks', { projectRoot: 'shop' });
  expect(shown.body.tasks.map(({ title }: AnyJson) => title)).toEqual(['Sell']);
});

test.each<[string, object]>([
  ['get_tasks', { projectRoot: 'parity' }],
  ['next_task', { projectRoot: 'parity' }],
  ['get_task', { projectRoot: 'parity', id: '99' }],
  ['get_task', { projectRoot: 'parity' }],
  ['get_tasks', { projectRoot: 'parity', tag: 7 }],
  ['get_tasks', { surprise: 1 }],
  ['parse_prd', { prd: 'A shop', projectRoot: 'parity2' }],
  ['classify', { text: 'x', classes: ['a', 'b'] }],
  ['task_status', { taskId: 'no-such-task' }],
  ['cancel_task', { taskId: 'no-such-task' }],
  ['retry_task', { taskId: 'no-such-task' }],
  ['agent_llm', { interactionId: 'none', agentLLMResponse: successAnswer({ text: 'x' }) }],
  ['agent_llm', { interactionId: 'none' }],
  [
    'agent_llm',
    {
      delegatedCallDetails: {
        originalCommand: 'x',
        role: 'main',
        serviceType: 'generateText',
        requestParameters: { messages: [{ role: 'user', content: 'x' }] },
      },
    },
  ],
  ['ask_assistant', { message: 'hello' }],
  ['agent_web_search', { query: 'x' }],
  ['agent_web_search', { query: 7 }],
  ['call_prompt', { name: 'none' }],
  ['resume_workflow', { taskId: 'none' }],
  ['list_conversations', {}],
  ['delete_project', { projectRoot: 'none' }],
])('%s %j gives over REST what it gives over MCP', async (name, args) => {
  await call('add_task', { projectRoot: 'parity', title: 'T', description: 'd' });
  const { result } = await mcpCall(name, args);
  const rest = await call(name, args);
  if (result.isError === true) {
    const { detail: message, type: _t, title: _title, status, ...more } = rest.body;
    expect(comparable({ ...more, message })).toEqual(comparable(result.structuredContent.error));
    expect(status).toBe(rest.status);
    expect(rest.status).toBeGreaterThanOrEqual(400);
  } else {
    expect(comparable(rest.body)).toEqual(comparable(result.structuredContent));
    const delegates = result.structuredContent.status === 'pending_agent_llm_action';
    expect([rest.status, rest.headers.has('location')]).toEqual([delegates ? 202 : 200, delegates]);
  }
});

describe('Idempotency-Key is _meta["baton/idempotencyKey"]', () => {
  const prd = { prd: 'A bakery', projectRoot: 'bakery' };

  test('a repeat over the other interface gives the same task, and other arguments conflict', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await call('parse_prd', prd, { headers });
    const again = await call('parse_prd', prd, { headers, at: other });
    const quoted = await call('parse_prd', prd, { headers: { 'idempotency-key': '"once"' } });
    const overMcp = (await mcpCall('parse_prd', prd, { 'baton/idempotencyKey': 'once' })).result;
    const taskIds = [first, again, quoted].map(({ body }) => body.taskId);
    expect(new Set([...taskIds, overMcp.structuredContent.taskId]).size).toBe(1);
    const conflict = await call('parse_prd', { ...prd, prd: 'A café' }, { headers });
    expect([conflict.status, conflict.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  test('a change of a project is made once', async () => {
    const args = { projectRoot: 'once', title: 'Only', description: 'd' };
    const first = await mcpCall('add_task', args, { 'baton/idempotencyKey': 'add' });
    const again = await call('add_task', args, { headers: { 'idempotency-key': 'add' } });
    expect(again.body).toMatchObject(first.result.structuredContent);
    expect((await call('get_tasks', { projectRoot: 'once' })).body.tasks).toHaveLength(1);
  });

  test.each([
    ['Idempotency-Key', ''],
    ['Idempotency-Key', '""'],
    ['Idempotency-Key', 'x'.repeat(201)],
    ['Idempotency-Key', 'é'],
    ['Baton-Workflow-Task', 'x'.repeat(101)],
  ])('%s: %j is refused by its name', async (name, value) => {
    const { status, body } = await call('get_tasks', {}, { headers: { [name]: value } });
    expect([status, body.code, body.field]).toEqual([400, 'invalid_arguments', name]);
  });
});

test('a call for a workflow says what became of it, as _meta["baton/continuation"] does', async () => {
  const { baton } = fixture;
  const admin = await baton.createKey({ scopes: ['admin', 'mcp'] });
  const steps = [
    { name: 'plan', tool: 'parse_prd', arguments: { prd: 'x', projectRoot: 'flow' } },
    { name: 'look', tool: 'get_tasks', arguments: { projectRoot: 'flow' } },
  ];
  const put = await one.send('PUT', '/v1/workflows/flow', {
    token: admin,
    json: { name: 'flow', description: 'flow', steps },
  });
  expect(put.status).toBe(200);
  const run = await one.send('POST', '/v1/prompts/flow', {
    token: key(),
    json: {},
    headers: { 'idempotency-key': 'run' },
  });
  expect(run.status).toBe(200);
  expect(run.body.messages.at(-1).content.text).toContain('To continue the workflow');
  const again = (await mcp('prompts/get', { name: 'flow', _meta: { 'baton/idempotencyKey': 'run' } })).result;
  expect(again._meta.task_id).toBe(run.body._meta.task_id);

  const headers = { 'baton-workflow-task': run.body._meta.task_id };
  const looked = await call('get_tasks', { projectRoot: 'flow' }, { headers });
  expect(JSON.parse(looked.headers.get('baton-continuation') ?? '')).toMatchObject({
    recorded: true,
    step: 'look',
  });
  const failed = await call('get_task', { projectRoot: 'flow', id: '7' }, { headers });
  expect(failed.status).toBe(404);
  expect(JSON.parse(failed.headers.get('baton-continuation') ?? '')).toMatchObject({ recorded: true });
  const unknown = await call('get_tasks', {}, { headers: { 'baton-workflow-task': 'none' } });
  expect(JSON.parse(unknown.headers.get('baton-continuation') ?? '')).toEqual({
    recorded: false,
    reason: 'not_found',
  });
});

test('"Prefer: respond-async" starts an operation as a task, and is ignored where there is none', async () => {
  const headers = { prefer: 'wait=5, respond-async' };
  const begun = await call('bench_echo', { text: 'x' }, { headers });
  expect([begun.status, begun.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
  expect(begun.body).toMatchObject({ status: 'working', operation: 'bench_echo' });
  await waitUntilOrThrow('a worker runs it', 20_000, async () => {
    const { body } = await get(`/v1/tasks/${begun.body.taskId}`);
    return body.status === 'input_required';
  });
  expect((await call('get_tasks', { projectRoot: 'parity' }, { headers })).status).toBe(200);
});

test('the same lists, resources, prompts and completions are given as over MCP', async () => {
  for (const [method, params, path] of [
    ['tools/list', {}, '/v1/tools'],
    ['resources/list', {}, '/v1/resources'],
    ['resources/templates/list', {}, '/v1/resource-templates'],
    [
      'resources/read',
      { uri: 'baton://projects' },
      `/v1/resources/${encodeURIComponent('baton://projects')}`,
    ],
  ] as const) {
    const { result } = await mcp(method, params);
    const { nextCursor: _, ...page } = (await get(path)).body;
    expect(page).toEqual({ ...result, nextCursor: undefined });
  }
  const shown = (await get('/v1/tools')).body.tools.map(({ name }: AnyJson) => name);
  expect(shown).toContain('agent_web_search');
  const ref = { type: 'ref/resource', uri: 'baton://projects/{project}/status{?tag}' };
  const completion = { ref, argument: { name: 'project', value: 'par' } };
  const { result } = await mcp('completion/complete', completion);
  const rest = await one.send('POST', '/v1/completions', { token: key(), json: completion });
  expect(rest.body).toEqual(result);
  expect(rest.body.completion.values).toContain('parity');
});

test.each<[string, string, unknown, number, string]>([
  ['POST', '/v1/tools/nothing', {}, 404, 'not_found'],
  ['POST', '/v1/tools/agent_nobody', {}, 404, 'not_found'],
  ['POST', '/v1/tools/get_tasks', [], 400, 'invalid_arguments'],
  ['POST', '/v1/tools/get_tasks', 'x', 400, 'invalid_arguments'],
  ['POST', '/v1/tools/get_tasks?waitMs=1', {}, 400, 'invalid_arguments'],
  ['POST', '/v1/tools/%00', {}, 404, 'not_found'],
  ['POST', '/v1/prompts/nothing', {}, 404, 'prompt_not_found'],
  ['POST', '/v1/prompts/baton.next_task', { surprise: 'x' }, 400, 'invalid_arguments'],
  ['POST', '/v1/prompts/flow', { surprise: [7] }, 400, 'invalid_arguments'],
  ['GET', '/v1/resources/nothing', undefined, 404, 'not_found'],
  ['GET', '/v1/resources/baton%3A%2F%2Ftasks%2Fnone', undefined, 404, 'task_not_found'],
  ['GET', '/v1/resources?cursor=forged', undefined, 400, 'invalid_arguments'],
  ['GET', '/v1/tools?cursor=forged', undefined, 400, 'invalid_arguments'],
  ['GET', '/v1/resource-templates?cursor=x', undefined, 400, 'invalid_arguments'],
  ['POST', '/v1/completions', {}, 400, 'invalid_arguments'],
  [
    'POST',
    '/v1/completions',
    { ref: { type: 'ref/none' }, argument: { name: 'x', value: '' } },
    400,
    'invalid_arguments',
  ],
  [
    'POST',
    '/v1/completions',
    { ref: { type: 'ref/prompt', name: 'nothing' }, argument: { name: 'x', value: '' } },
    404,
    'prompt_not_found',
  ],
])('%s %s with %j is %i %s', async (method, path, json, status, code) => {
  const reply = await one.send(method, path, { token: key(), json });
  expect([reply.status, reply.body.code]).toEqual([status, code]);
});

describe('who may call', () => {
  test('scopes, limits and sizes are those of MCP', async () => {
    const { baton } = fixture;
    const agent = await baton.createKey({ scopes: ['agent'] });
    const refused = await call('bench_echo', { text: 'x' }, { token: agent });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    expect(refused.headers.get('www-authenticate')).toContain('scope="mcp"');
    expect((await call('agent_web_search', { query: 'x' }, { token: agent })).status).toBe(403);
    expect((await call('pending_interactions', {}, { token: agent })).status).toBe(200);

    const full = await baton.addTenant('full', { pendingInteractions: 1 });
    expect((await call('bench_echo', { text: 'x' }, { token: full })).status).toBe(202);
    const over = await call('bench_echo', { text: 'x' }, { token: full });
    expect([over.status, over.body.code, over.headers.has('retry-after')]).toEqual([
      429,
      'limit_pending',
      true,
    ]);

    const slow = await baton.addTenant('slow', { requestsPerSecond: 1, burst: 2 });
    const replies = [];
    for (let n = 0; n < 5; n++) replies.push(await call('list_conversations', {}, { token: slow }));
    expect(replies.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 429]));

    const fields = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`k${n}`, 1]));
    const wide = await call('get_tasks', fields);
    expect([wide.status, wide.body.code]).toEqual([413, 'limit_size']);
    expect((await call('get_tasks', fields, { token: 'bt_none' })).status).toBe(401);
  });

  test('under a tenant’s path the operator acts as the principal `operator`, and a key needs admin and the tool’s scope', async () => {
    const path = (name: string) => `/v1/tenants/acme/tools/${name}`;
    const operator = await one.send('POST', path('bench_echo'), {
      token: OPERATOR_TOKEN,
      json: { text: 'x' },
    });
    expect(operator.status).toBe(202);
    const location = operator.headers.get('location') ?? '';
    expect(location).toContain('/v1/tenants/acme/tasks/');
    const task = await one.send('GET', new URL(location).pathname, { token: OPERATOR_TOKEN });
    expect(task.body.principal).toBe('operator');
    expect((await call('task_status', { taskId: operator.body.taskId })).status).toBe(404);
    for (const [scopes, status] of [
      [['admin'], 403],
      [['mcp'], 403],
      [['admin', 'mcp'], 202],
    ] as const) {
      const token = await fixture.baton.createKey({ scopes: [...scopes] });
      expect((await one.send('POST', path('bench_echo'), { token, json: { text: 'x' } })).status).toBe(
        status,
      );
    }
  });

  test.each(['get_tasks', 'bench_echo', 'agent_web_search'])(
    'a call of %s costs Redis what it costs over MCP',
    async (name) => {
      const args = { get_tasks: { projectRoot: 'parity' }, bench_echo: { text: 'x' } }[name] ?? {
        query: 'x',
      };
      const monitor = await RedisMonitor.open(fixture.baton.redisUrl);
      // The fewest of some runs: now and then the end of a job before stands among them.
      const count = async (make: () => Promise<unknown>) => {
        const runs: string[][] = [];
        for (let run = 0; run < 4; run++) {
          const sent = await monitor.commandsOf(make);
          const ofCalls = sent.filter((command) => !command.includes(':bull:'));
          runs.push(ofCalls.map((command) => command.split(' ').slice(0, 2).join(' ')));
        }
        return runs.slice(1).toSorted((one, other) => one.length - other.length)[0] ?? [];
      };
      const rest = await count(() => call(name, args));
      const overMcp = await count(() => mcpCall(name, args));
      monitor.close();
      expect(rest).toEqual(overMcp);
      expect(rest.length).toBeGreaterThan(0);
    },
  );
});
