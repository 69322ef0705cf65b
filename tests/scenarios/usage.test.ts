import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';

/** What answers say that they used, over the wire and two replicas: counted once, added up, priced, reported. */
let baton: InProcessDeployment;
let admin: string;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  admin = await baton.createKey({ scopes: ['mcp', 'agent', 'admin'] });
});
afterAll(() => baton?.stop());

async function rest(path: string, init: RequestInit = {}, gateway = 0): Promise<Response> {
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json', ...init.headers };
  return fetch(`${baton.url(gateway)}/v1${path}`, { ...init, headers });
}

const report = async (query: string): Promise<AnyJson> => (await rest(`/usage?${query}`, {}, 1)).json();

function answer(data: object, beside: object = {}) {
  return { ...successAnswer({ value: 'x', ...data }), ...beside };
}

const ANSWERS = [
  answer({ model: 'swift', usage: { inputTokens: 1_000, outputTokens: 10 } }),
  answer({ model: 'swift', usage: { prompt_tokens: 2_000, completion_tokens: 20 } }),
  answer({ model: '=cmd()', usage: { input_tokens: 4_000, output_tokens: 40 } }),
  answer({}),
];

test('usage is counted once however often an answer comes to whichever replica, and adds up to the token', async () => {
  const clients = await Promise.all([0, 1].map((at) => connectMcpClient(baton.url(at), admin)));
  for (const agentLLMResponse of ANSWERS) {
    const { interactionId, taskId } = await callTool(clients[0]!, 'bench_echo', { text: 'count me' });
    const post = (at: number) =>
      callTool(clients[at % 2]!, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 10_000 });
    const confirmed = await Promise.all([0, 1, 2, 3, 4, 5].map(post));
    expect(confirmed.filter(({ replayed }) => replayed !== true)).toHaveLength(1);
    expect(confirmed.every(({ warning }) => warning === undefined)).toBe(true);
    const { usage } = await callTool(clients[1]!, 'task_status', { taskId });
    expect(usage.calls).toBe(1);
    const shown = (await (await rest(`/tasks/${taskId}`)).json()) as AnyJson;
    expect(shown.usage).toEqual(usage);
    const { usage: used } = shown.timeline.find(({ event }: AnyJson) => event === 'interaction_answered');
    expect(used.inputTokens ?? 0).toBe(usage.inputTokens);
    expect(shown.interactions[0].usage).toEqual(used);
  }
  const { rows, total } = await report('by=model');
  expect(
    rows.map(({ key, calls, inputTokens, outputTokens }: AnyJson) => [key, calls, inputTokens, outputTokens]),
  ).toEqual([
    ['swift', 2, 3_000, 30],
    ['', 1, 0, 0],
    ['=cmd()', 1, 4_000, 40],
  ]);
  expect(total).toMatchObject({ calls: 4, inputTokens: 7_000, outputTokens: 70 });
  expect(total).not.toHaveProperty('cost');
  expect((await report('by=operation')).rows).toMatchObject([{ key: 'bench_echo', calls: 4 }]);
  expect((await report('by=agent')).rows).toMatchObject([{ key: '', calls: 4 }]);
  expect((await report('')).rows).toHaveLength(1);
  expect((await report('from=2020-01-01&to=2020-02-01')).rows).toEqual([]);
});

test('usage that makes no sense is named in the confirmation, and the answer is accepted without it', async () => {
  const client = await connectMcpClient(baton.url(), admin);
  for (const bad of [-5, 1e308, 1.5, '7']) {
    const { interactionId, taskId } = await callTool(client, 'bench_echo', { text: 'x' });
    const agentLLMResponse = answer({ model: 'odd', usage: { inputTokens: bad, outputTokens: 1 } });
    const taken = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
    expect(taken.outcome.status).toBe('completed');
    expect(taken.warning).toMatch(/^usage\.inputTokens is not counted: /);
    const { usage } = await callTool(client, 'task_status', { taskId });
    expect(usage).toMatchObject({ calls: 1, inputTokens: 0, outputTokens: 1 });
  }
  const failed = {
    status: 'error',
    errorDetails: { message: 'no', type: 'other', usage: { inputTokens: 3 } },
  };
  const { interactionId, taskId } = await callTool(client, 'bench_echo', { text: 'x' });
  await callTool(client, 'agent_llm', { interactionId, agentLLMResponse: failed });
  expect(await callTool(client, 'task_status', { taskId })).toMatchObject({
    status: 'failed',
    usage: { calls: 1, inputTokens: 3 },
  });
});

test('cost follows the prices of now, and the calls of models without one are counted', async () => {
  expect(await (await rest('/prices')).json()).toEqual({ currency: 'USD', models: {} });
  const table = { currency: 'EUR', models: { swift: { input: 2, output: 8 } } };
  expect((await rest('/prices', { method: 'PUT', body: JSON.stringify(table) })).status).toBe(200);
  expect(await (await rest('/prices', {}, 1)).json()).toEqual(table);
  const { currency, rows, total } = await report('by=model');
  expect(currency).toBe('EUR');
  expect(rows.find(({ key }: AnyJson) => key === 'swift')).toMatchObject({ cost: 0.00624, unpricedCalls: 0 });
  expect(total).toMatchObject({ cost: 0.00624, unpricedCalls: total.calls - 2 });
});

test.each([
  [{ currency: 'EUR', models: { swift: { input: -2, output: 8 } } }, 'input'],
  [{ currency: 'EUR', models: { swift: { input: null, output: 8 } } }, 'input'],
  [{ currency: 'EUR', models: { swift: { input: 2, output: 1e308 } } }, 'output'],
  [{ currency: 'money', models: {} }, 'currency'],
])('prices that make no sense are refused by the field, and those before stay: %j', async (table, field) => {
  const before = await (await rest('/prices')).json();
  const refused = await rest('/prices', { method: 'PUT', body: JSON.stringify(table) });
  const problem = (await refused.json()) as AnyJson;
  expect([refused.status, problem.code]).toEqual([400, 'invalid_arguments']);
  expect(problem.field).toContain(field);
  expect(await (await rest('/prices')).json()).toEqual(before);
});

test('a report as CSV has a line a row, and no formula', async () => {
  const asked = await rest('/usage?by=model', { headers: { accept: 'text/csv' } });
  expect(asked.headers.get('content-type')).toMatch(/^text\/csv/);
  const lines = (await asked.text()).split('\r\n');
  expect(lines[0]).toBe(
    'model,calls,failedCalls,inputTokens,outputTokens,durationMs,cost,unpricedCalls,currency',
  );
  expect(lines.find((line) => line.includes('cmd'))).toMatch(/^'=cmd\(\),1,0,4000,40,\d+,0,1,EUR$/);
  expect(lines.at(-1)).toBe('');
  expect(await (await rest('/usage?by=model&format=csv')).text()).toBe(lines.join('\r\n'));
});

test('a report needs the scope admin, and days that make sense', async () => {
  const mcp = await baton.createKey({ scopes: ['mcp', 'agent'] });
  const headers = { authorization: `Bearer ${mcp}` };
  for (const path of ['/usage', '/prices']) expect((await rest(path, { headers })).status).toBe(403);
  for (const query of ['from=2026-13-01', 'from=2026-02-01&to=2026-01-01', 'from=2020-01-01', 'by=colour'])
    expect((await rest(`/usage?${query}`)).status, query).toBe(400);
});
