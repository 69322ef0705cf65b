import { createLogger } from '@baton/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { requestOf2026 } from '../dialects/client-of-2026.ts';
import { type AnyJson, callTool, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';

/** The log as an operator reads it: a line for each park, answer, end and refusal, of gateways and of workers. */
const lines: AnyJson[] = [];
let baton: InProcessDeployment;
let key: string;
beforeAll(async () => {
  const log = createLogger('info', {}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1, log, lifetimes: { task: 5_000 } });
  key = await baton.createKey({ scopes: ['mcp', 'admin'], principal: 'ann' });
});
afterAll(() => baton?.stop());
beforeEach(() => void lines.splice(0));

const events = (of: (line: AnyJson) => boolean = () => true) =>
  lines.filter((line) => line.event !== undefined && of(line));
const send = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(`${baton.url(1)}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
  });
const tool = (name: string, args: object, headers: Record<string, string> = {}) =>
  send(`/v1/tools/${name}`, { method: 'POST', body: JSON.stringify(args), headers });

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PRIVATE = 'words that no log may hold';

describe('a delegation', () => {
  test('is told from its park over an answer on another replica to its end, by ids and without its words', async () => {
    const headers = { 'x-request-id': 'order-66', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const parked = await tool('bench_echo', { text: PRIVATE }, headers);
    expect(parked.headers.get('x-request-id')).toBe('order-66');
    const { taskId, interactionId }: AnyJson = await parked.json();
    const client = await connectMcpClient(baton.url(0), key);
    const agentLLMResponse = { status: 'success', data: { object: { value: PRIVATE } } };
    await callTool(client, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
    await callTool(client, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
    await client.close();
    const [, , keyId] = /^bt_([a-z0-9-]+)_([A-Za-z0-9]+)/.exec(key) ?? [];
    const ofGateway = { tenant: 'acme', principal: 'ann', taskId, ms: expect.any(Number) };
    expect(events()).toMatchObject([
      {
        event: 'parked',
        requestId: 'order-66',
        trace: TRACE,
        keyId,
        tool: 'bench_echo',
        interactionId,
        ...ofGateway,
      },
      { event: 'ended', operation: 'bench_echo', status: 'completed', ...ofGateway },
      { event: 'answered', interactionId, status: 'completed', replayed: false, ...ofGateway },
      { event: 'answered', interactionId, status: 'completed', replayed: true, ...ofGateway },
    ]);
    expect(JSON.stringify(lines)).not.toContain(PRIVATE);
    expect(JSON.stringify(lines)).not.toContain(key);
  });

  test('that fails, is cancelled over each interface, or is not over in time, ends with its code', async () => {
    const open = async () => (await (await tool('bench_echo', { text: 'x' })).json()) as AnyJson;
    const failed = await open();
    const errorDetails = { message: PRIVATE, type: 'not_found_error' };
    await send(`/v1/interactions/${failed.interactionId}/answer`, {
      method: 'POST',
      body: JSON.stringify({ agentLLMResponse: { status: 'error', errorDetails } }),
    });
    const [byTool, byRest, late] = [await open(), await open(), await open()];
    await tool('cancel_task', { taskId: byTool.taskId });
    await send(`/v1/tasks/${byRest.taskId}/cancel`, { method: 'POST', body: '{}' });
    const endOf = ({ taskId }: AnyJson) => events((one) => one.event === 'ended' && one.taskId === taskId);
    expect(endOf(failed)).toMatchObject([{ status: 'failed', code: 'agent_error', principal: 'ann' }]);
    expect(endOf(byTool)).toMatchObject([{ status: 'cancelled', principal: 'ann' }]);
    expect(endOf(byRest)).toMatchObject([{ status: 'cancelled', principal: 'ann' }]);
    await expect
      .poll(() => endOf(late), { timeout: 20_000 })
      .toMatchObject([{ status: 'failed', code: 'task_expired', operation: 'bench_echo', principal: 'ann' }]);
    expect(JSON.stringify(lines)).not.toContain(PRIVATE);
  });
});

describe('a refusal', () => {
  test('is told with its code and its caller, over MCP, REST and HTTP', async () => {
    const client = await connectMcpClient(baton.url(0), key);
    await callToolForError(client, 'get_tasks', { projectRoot: 'nowhere' });
    await client.readResource({ uri: 'baton://tasks/none' }).catch(() => undefined);
    await client.callTool({ name: 'rm \u001b[31m\r\n-rf', arguments: {} }).catch(() => undefined);
    await client.close();
    await requestOf2026(baton.url(0), key, 'subscriptions/listen', { notifications: { taskIds: ['t'] } });
    await tool('get_task', { id: '1', projectRoot: 'nowhere' });
    await send('/v1/nothing');
    await send('/mcp', { method: 'POST', body: '{' });
    await send('/v1/tasks', { headers: { authorization: 'Bearer bt_acme_mistyped' } });
    const refused = events(({ event }) => event === 'refused');
    const codes = refused.map(({ event, code }) => `${event} ${code}`);
    expect(codes).toEqual([
      'refused project_not_found',
      expect.stringMatching(/^refused /),
      'refused -32602',
      'refused -32021',
      'refused project_not_found',
      'refused not_found',
      'refused invalid_arguments',
      'refused unauthenticated',
    ]);
    expect(refused[0]).toMatchObject({ tenant: 'acme', principal: 'ann', tool: 'get_tasks' });
    expect(refused[1]).toMatchObject({ tool: 'resources/read' });
    expect(refused[2].tool).toBeUndefined();
    expect(refused[4]).toMatchObject({ tool: 'get_task', principal: 'ann', tenant: 'acme' });
    expect([refused[5].route, refused[5].tool], 'no route is there').toEqual([undefined, undefined]);
    expect(refused[6]).toMatchObject({ route: 'POST /mcp' });
    expect(refused[7]).toMatchObject({ route: 'GET /v1/tasks' });
    expect(refused[7].principal, 'a key that is not known').toBeUndefined();
    expect(JSON.stringify(lines)).not.toContain('rf');
  });

  test('over REST names its route by its pattern, and a tool of the operator by its name, never what the caller wrote', async () => {
    await send('/v1/tasks/words-of-the-caller');
    await tool('agent_words-of-the-caller', {});
    await tool('get_task', { id: 1, project: 'words-of-the-caller' });
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const init = { method: 'POST', body: '{"projectRoot":"nowhere"}', headers };
    await send('/v1/tenants/acme/tools/get_tasks', init);
    const refused = events(({ event }) => event === 'refused');
    expect(refused).toMatchObject([
      { code: 'task_not_found', route: 'GET /v1/tasks/:id', principal: 'ann' },
      { route: 'POST /v1/tools/:name', principal: 'ann' },
      { code: 'invalid_arguments', tool: 'get_task', principal: 'ann' },
      { code: 'project_not_found', tool: 'get_tasks', principal: 'operator' },
    ]);
    expect(JSON.stringify(refused)).not.toContain('words-of-the-caller');
  });

  test('beyond a rate is counted in the next line, so that no caller fills the log', async () => {
    const refused = () => events(({ event }) => event === 'refused');
    const many = 300;
    await Promise.all(Array.from({ length: many }, () => send('/v1/nothing')));
    const told = refused().length;
    expect(told).toBeLessThan(60);
    await expect
      .poll(async () => {
        await send('/v1/nothing');
        return refused().length;
      })
      .toBeGreaterThan(told);
    const counted = refused().reduce((sum, { leftOut = 0 }) => sum + 1 + leftOut, 0);
    expect(counted).toBeGreaterThan(many);
    const other = await baton.createKey({ scopes: ['mcp'], principal: 'bob' });
    await send('/v1/nothing', { headers: { authorization: `Bearer ${other}` } });
    expect(refused().at(-1)).toMatchObject({ event: 'refused', code: 'not_found' });
  });
});

test.each(['', 'two words', 'a\tb', 'x'.repeat(129), '<script>'])(
  'a request id %j is not taken over: the request has a new one',
  async (given) => {
    const reply = await send('/v1/tasks', { headers: { 'x-request-id': given } });
    expect(reply.headers.get('x-request-id')).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  },
);

test('each response has the id of its request, refusals and pages of other origins included', async () => {
  for (const path of ['/healthz', '/v1/tasks', '/v1/nothing', '/mcp', '/%'])
    expect([path, (await send(path)).headers.get('x-request-id')]).toEqual([
      path,
      expect.stringMatching(/^[\w-]{36}$/),
    ]);
  const shown = await send('/v1/tasks', { headers: { origin: 'https://app.example' } });
  expect(shown.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
});
