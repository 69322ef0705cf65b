import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectNotifiedClient } from '../agents/notified-client.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc, successAnswer } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';

/** Of the tools, the address, a header and the key each select what is listed; the narrowest counts. All can be called. */
const CORE = [
  'parse_prd',
  'expand_task',
  'update_subtask',
  'get_tasks',
  'get_task',
  'next_task',
  'set_task_status',
  'agent_llm',
  'pending_interactions',
];
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 0 });
  for (const id of ['assistant', 'helper'])
    await rest('PUT', `/v1/tenants/acme/agents/${id}`, { id, name: id, instructions: 'x' }, OPERATOR_TOKEN);
});
afterAll(() => baton?.stop());

interface Way {
  readonly query?: string;
  readonly header?: string;
  readonly key?: string;
  readonly at?: number;
}
const withQuery = (path: string, { query }: Way) =>
  query === undefined ? path : `${path}?tools=${encodeURIComponent(query)}`;
const withHeader = ({ header }: Way): Record<string, string> =>
  header === undefined ? {} : { 'baton-tools': header };

async function mcp(method: string, params: object, way: Way = {}): Promise<AnyJson> {
  const response = await fetch(withQuery(`${baton.url(way.at)}/mcp`, way), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${way.key ?? baton.apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...withHeader(way),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}
async function rest(
  method: string,
  path: string,
  body?: unknown,
  key = baton.apiKey,
  headers = {},
): Promise<AnyJson> {
  const response = await fetch(`${baton.url()}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}
const namesIn = (tools: AnyJson[]): Set<string> => new Set(tools.map(({ name }) => name));
/** What is listed over MCP, which REST must list too. */
async function listed(way: Way): Promise<Set<string>> {
  const { result } = await mcp('tools/list', {}, way);
  const overRest = await rest('GET', withQuery('/v1/tools', way), undefined, way.key, withHeader(way));
  expect(namesIn(overRest.tools)).toEqual(namesIn(result.tools));
  return namesIn(result.tools);
}
const keyWith = async (tools: string | undefined, scopes = ['mcp']) => {
  const made = await rest('POST', '/v1/tenants/acme/keys', { name: 'k', scopes, tools }, OPERATOR_TOKEN);
  return { ...made, path: `/v1/tenants/acme/keys/${made.id}` };
};

test('by default the standard tools are listed, and the specialists of the tenant', async () => {
  const { key } = await keyWith(undefined);
  const standard = await listed({ key });
  expect(standard.size).toBe(20);
  expect([...standard]).toEqual(expect.arrayContaining(['agent_helper', 'ask_assistant', ...CORE]));
  expect(await listed({ key, query: 'standard' })).toEqual(standard);
  expect((await listed({ key, query: 'all' })).size).toBeGreaterThan(40);
});

describe.each<[string, (tools: string) => Promise<Way>]>([
  ['the address', async (query) => ({ query })],
  ['the header', async (header) => ({ header })],
  ['the key', async (tools) => ({ key: (await keyWith(tools)).key })],
])('selected by %s', (_where, select) => {
  test('core is the nine tools that daily work needs, standard has those and more', async () => {
    expect(await listed(await select('core'))).toEqual(new Set(CORE));
    const standard = await listed(await select('standard'));
    expect(standard.size).toBe(20);
    expect([...standard]).toEqual(expect.arrayContaining([...CORE, 'add_task', 'expand_all', 'task_status']));
  });

  test('tools may be named, beside a tier, specialists too; what waits can always be answered', async () => {
    expect(await listed(await select('next_task, agent_helper'))).toEqual(
      new Set(['next_task', 'agent_helper', 'agent_llm', 'pending_interactions']),
    );
    expect(await listed(await select('core,delete_tag'))).toEqual(new Set([...CORE, 'delete_tag']));
  });

  test('a tool that is not listed can be called, as a task and over REST too', async () => {
    const way = await select('core');
    const asked = { text: 'x', classes: ['a', 'b'] };
    const called = await mcp('tools/call', { name: 'classify', arguments: asked }, way);
    expect(called.result.structuredContent).toMatchObject({ status: 'pending_agent_llm_action' });
    const overRest = await rest(
      'POST',
      withQuery('/v1/tools/classify', way),
      asked,
      way.key,
      withHeader(way),
    );
    expect(overRest).toMatchObject({ status: 'pending_agent_llm_action' });
    const asTask = await postJsonRpc(
      withQuery(`${baton.url()}`, {}),
      way.key ?? baton.apiKey,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'classify', arguments: asked, task: {} },
      },
      { 'mcp-protocol-version': '2025-11-25', ...withHeader(way) },
    );
    expect(asTask.body.result.task).toMatchObject({ status: 'working' });
  });

  test('an operation that is listed is delegated and answered', async () => {
    const way = await select('core');
    const asked = await mcp(
      'tools/call',
      { name: 'parse_prd', arguments: { prd: 'x', projectRoot: `p-${_where}` } },
      way,
    );
    const { interactionId } = asked.result.structuredContent;
    const agentLLMResponse = successAnswer({ tasks: [{ id: 1, title: 'Dig', description: 'A hole.' }] });
    const answer = { name: 'agent_llm', arguments: { interactionId, agentLLMResponse, waitMs: 0 } };
    expect((await mcp('tools/call', answer, way)).result.isError).toBeUndefined();
  });
});

test('of the address, the header and the key the narrowest counts', async () => {
  const { key } = await keyWith('core');
  expect(await listed({ key, query: 'all' })).toEqual(new Set(CORE));
  expect(await listed({ key, query: 'next_task,add_task' })).toEqual(
    new Set(['next_task', 'agent_llm', 'pending_interactions']),
  );
});

test.each(['', 'kore', 'core,', 'get_tasks;next_task', 'agent_', 'x'.repeat(1_900), 'agent_a,'.repeat(65)])(
  'a selection %j that names no tools is refused, and names what is wrong',
  async (tools) => {
    const { error } = await mcp('tools/list', {}, { query: tools });
    expect(error.data).toMatchObject({ code: 'invalid_arguments', field: 'tools' });
    const byHeader = await mcp('tools/list', {}, { header: tools === '' ? ',' : tools });
    expect(byHeader.error.data).toMatchObject({ code: 'invalid_arguments', field: 'Baton-Tools' });
    const refused = await rest('POST', '/v1/tenants/acme/keys', { name: 'k', tools }, OPERATOR_TOKEN);
    expect(refused).toMatchObject({ status: 400, field: 'tools' });
    expect((await mcp('tools/list', {}, { query: tools, key: 'bt_none' })).error.data.code).toBe(
      'unauthenticated',
    );
  },
);

test("a key's setting is changed for calls from then on, and told to its open sessions on every replica", async () => {
  const { key, path } = await keyWith('all');
  const told = await Promise.all(
    [0, 1].map(async (at) => {
      const { client } = await connectNotifiedClient(baton.url(at), key, ToolListChangedNotificationSchema);
      const session = { client, count: 0 };
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void session.count++);
      return session;
    }),
  );
  const bystander = await connectNotifiedClient(
    baton.url(1),
    baton.apiKey,
    ToolListChangedNotificationSchema,
  );
  let others = 0;
  bystander.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void others++);
  const change = async (body: object) => {
    const before = told.map(({ count }) => count);
    const changed = await rest('PATCH', path, body, OPERATOR_TOKEN);
    expect(changed.status).toBe(200);
    await waitUntilOrThrow('every session is told', 5_000, async () =>
      told.every(({ count }, at) => count > (before[at] ?? 0)),
    );
    return changed;
  };
  expect((await change({ tools: 'core' })).tools).toBe('core');
  for (const { client } of told) expect(namesIn((await client.listTools()).tools)).toEqual(new Set(CORE));
  expect((await rest('GET', '/v1/tenants/acme/keys', undefined, OPERATOR_TOKEN)).keys).toContainEqual(
    expect.objectContaining({ tools: 'core' }),
  );
  expect((await change({ tools: 'all', name: 'renamed' })).name).toBe('renamed');
  expect((await listed({ key })).size).toBeGreaterThan(40);
  // Without a setting of its own it has the default again, and calls say what is listed.
  expect((await change({ tools: '' })).tools).toBeUndefined();
  expect([(await listed({ key })).size, (await listed({ key, query: 'all' })).size > 40]).toEqual([20, true]);
  // A rename is no change of tools.
  const before = told.map(({ count }) => count);
  await rest('PATCH', path, { name: 'again' }, OPERATOR_TOKEN);
  expect([told.map(({ count }) => count), others]).toEqual([before, 0]);
  await Promise.all([...told, bystander].map(({ client }) => client.close()));
});

test('a rotated key keeps its setting; a change of none, of an unknown key and by a key without admin are refused', async () => {
  const { path } = await keyWith('standard');
  const rotated = await rest('POST', `${path}/rotate`, {}, OPERATOR_TOKEN);
  expect(rotated.tools).toBe('standard');
  expect((await listed({ key: rotated.key })).size).toBe(20);
  expect((await rest('PATCH', path, {}, OPERATOR_TOKEN)).status).toBe(400);
  expect((await rest('PATCH', path, { tools: 7 }, OPERATOR_TOKEN)).status).toBe(400);
  const unknown = await rest('PATCH', '/v1/tenants/acme/keys/none', { tools: 'core' }, OPERATOR_TOKEN);
  expect([unknown.status, unknown.code]).toEqual([404, 'key_not_found']);
  expect((await rest('PATCH', path, { tools: 'all' })).status).toBe(403);
});
