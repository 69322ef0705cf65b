import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskRef } from '../../packages/store/src/records/keys.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, postJsonRpc } from '../harness/mcp-client.ts';
import { UNLIMITED } from '../processes/process-settings.ts';
import { storeConversation } from './store-conversation.ts';

/**
 * A cursor is good for the list, the filters and the caller that it was given for, on any gateway, and shows nothing. The lists
 * are those that the tools' schemas, the OpenAPI document and MCP have with a cursor.
 */

/** One list with its filters. */
interface CursorList {
  readonly name: string;
  /** The tool, path or method. */
  readonly of: string;
  readonly filter: Readonly<Record<string, string>>;
  read(key: string, cursor: string | undefined, gateway?: number): Promise<AnyJson>;
}

/** More than fit a page, for each principal. */
const TASKS = 55;
const OPERATION = 'agent_llm';

let baton: InProcessDeployment;
let lists: CursorList[];
let first: string;
let second: string;
let admin: string;
let foreign: string;
/** The refs of the other principal's tasks, and of all tasks. */
let refs: string[];

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 0, limits: UNLIMITED });
  first = await baton.createKey({ principal: 'first-principal' });
  second = await baton.createKey({ principal: 'second-principal' });
  admin = await baton.createKey({ principal: 'admin-principal', scopes: ['mcp', 'admin'] });
  foreign = await baton.addTenant('other', UNLIMITED);
  refs = [];
  const clients = await Promise.all(
    [first, second, foreign].map((key) => connectMcpClient(baton.url(), key)),
  );
  for (let at = 0; at < TASKS; at++)
    for (const client of clients) refs.push(taskRef((await delegate(client)).taskId));
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(Array.from({ length: 105 }, (_, at) => baton.addTenant(`listed-${at}`)));
  const file = JSON.stringify({ master: { tasks: [] } });
  const headers = { authorization: `Bearer ${first}`, 'content-type': 'application/json' };
  for (let from = 0; from < 1_010; from += 101) {
    const names = Array.from({ length: 101 }, (_, at) => `project-${from + at}`);
    const put = (name: string) =>
      fetch(`${baton.url()}/v1/projects/${name}`, { method: 'PUT', headers, body: file });
    await Promise.all(names.map(put));
  }
  await Promise.all(Array.from({ length: 55 }, () => baton.createKey({})));
  const steps = [{ name: 'next', tool: 'next_task' }];
  for (let at = 0; at < 25; at++) {
    const put = { method: 'PUT', headers: { ...headers, authorization: `Bearer ${admin}` } };
    const body = JSON.stringify({ name: `workflow-${at}`, description: 'see', steps });
    await fetch(`${baton.url()}/v1/workflows/workflow-${at}`, { ...put, body });
    const agent = JSON.stringify({ id: `agent_${at}`, name: 'a', instructions: 'Do.' });
    await fetch(`${baton.url()}/v1/agents/agent_${at}`, { ...put, body: agent });
    const prompt = JSON.stringify({ name: `prompt-${at}`, text: 'Why?' });
    await fetch(`${baton.url()}/v1/prompts/prompt-${at}`, { ...put, body: prompt });
  }
  for (const principal of ['first-principal', 'second-principal', 'admin-principal'])
    for (let at = 0; at < 25; at++) await storeConversation(baton, principal, at);
  const { audit } = baton.store.tenant('acme');
  for (let at = 0; at < 60; at++) await audit.add({ action: 'key_changed', by: 'x', facts: {} });
  lists = await listsWithCursors();
}, 120_000);
afterAll(() => baton?.stop());

async function delegate(client: Awaited<ReturnType<typeof connectMcpClient>>): Promise<AnyJson> {
  const requestParameters = { messages: [{ role: 'user', content: 'x' }] };
  const delegatedCallDetails = { originalCommand: 'x', serviceType: 'generateText', requestParameters };
  return callTool(client, 'agent_llm', { delegatedCallDetails });
}

async function listsWithCursors(): Promise<CursorList[]> {
  const found: CursorList[] = [];
  const rpc = async (key: string, method: string, params: object, gateway = 0) =>
    (await postJsonRpc(baton.url(gateway), key, { jsonrpc: '2.0', id: 1, method, params })).body;
  const { result } = await rpc(first, 'tools/list', {});
  for (const { name, inputSchema } of result.tools) {
    if (inputSchema.properties?.cursor === undefined) continue;
    for (const filter of filtersOf(inputSchema.properties))
      found.push({
        name: `${name} ${JSON.stringify(filter)}`,
        of: name,
        filter,
        read: async (key, cursor, gateway) => {
          const args = { ...filter, ...(cursor === undefined ? {} : { cursor }) };
          const reply = await rpc(key, 'tools/call', { name, arguments: args }, gateway);
          return reply.result.isError ? reply.result.structuredContent.error : reply.result.structuredContent;
        },
      });
  }
  const { paths }: AnyJson = await (await fetch(`${baton.url()}/v1/openapi.json`)).json();
  for (const [path, { get }] of Object.entries<AnyJson>(paths)) {
    const parameters = (get?.parameters ?? []).filter((one: AnyJson) => one.in === 'query');
    if (!parameters.some((one: AnyJson) => one.name === 'cursor')) continue;
    const properties = Object.fromEntries(parameters.map((one: AnyJson) => [one.name, one.schema]));
    for (const filter of filtersOf(properties))
      found.push({
        name: `${path} ${JSON.stringify(filter)}`,
        of: path,
        filter,
        read: async (key, cursor, gateway = 0) => {
          const query = new URLSearchParams({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
          const isAdmins = path.includes('{tenant}') || path === '/v1/audit';
          const token = path === '/v1/tenants' ? OPERATOR_TOKEN : isAdmins ? admin : key;
          const url = `${baton.url(gateway)}${path.replace('{tenant}', 'acme')}?${query}`;
          return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json();
        },
      });
  }
  for (const method of ['resources/list', 'prompts/list', 'tools/list', 'tasks/list'])
    found.push({
      name: method,
      of: method,
      filter: {},
      read: async (key, cursor, gateway) => {
        const reply = await rpc(key, method, cursor === undefined ? {} : { cursor }, gateway);
        return reply.error?.data ?? reply.result;
      },
    });
  found.push({
    name: 'baton://projects',
    of: 'baton://projects',
    filter: {},
    read: async (key, cursor, gateway) => {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const reply = await rpc(key, 'resources/read', { uri: `baton://projects${query}` }, gateway);
      return reply.error?.data ?? JSON.parse(reply.result.contents[0].text);
    },
  });
  return found;
}

/** No filter, and each filter for itself. */
function filtersOf(properties: AnyJson): Record<string, string>[] {
  const statuses: string[] = properties.status?.enum ?? properties.status?.anyOf?.[0]?.enum ?? [];
  const filters: Record<string, string>[] = [{}, ...statuses.map((status) => ({ status }))];
  if (properties.operation !== undefined) filters.push({ operation: OPERATION });
  if (properties.role !== undefined) filters.push({ role: 'main' });
  return filters;
}

const REFUSED = { code: 'invalid_arguments', field: 'cursor' };

test('a cursor is taken on any gateway, and by nobody but its caller, list and filters', async () => {
  const given: { list: CursorList; cursor: string }[] = [];
  for (const list of lists) {
    const { nextCursor: cursor } = await list.read(first, undefined);
    if (cursor !== undefined) given.push({ list, cursor });
  }
  const kinds = new Set(given.map(({ list }) => list.of));
  expect(kinds, 'every list was long enough for a cursor').toEqual(new Set(lists.map((list) => list.of)));
  expect(given.length).toBeGreaterThan(10);

  for (const { list, cursor } of given) {
    const next = await list.read(first, cursor, 1);
    expect([list.name, next.code]).toEqual([list.name, undefined]);
    const same = (other: CursorList) => sameList(list) === sameList(other);
    for (const other of lists.filter((one) => !same(one)))
      expect([list.name, other.name, await other.read(first, cursor)]).toMatchObject([
        list.name,
        other.name,
        REFUSED,
      ]);
    if (list.of.includes('tenants') || list.of === '/v1/audit') continue;
    // Projects and definitions are their tenant's.
    const others = /projects|workflows|prompts|agents|tools/.test(list.of)
      ? [foreign]
      : [second, admin, foreign];
    for (const key of others) expect(await list.read(key, cursor)).toMatchObject(REFUSED);
  }
}, 120_000);

/** What a tool or a route lists, and of whom: what lists the same takes the same cursors. */
function sameList({ of, filter }: CursorList): string {
  const { status, ...others } = filter;
  if (of.endsWith('/projects')) return 'projects';
  if (of.endsWith('/audit')) return 'audit';
  for (const plural of ['workflows', 'agents', 'prompts']) if (of.endsWith(`/${plural}`)) return plural;
  if (of === 'tools/list' || of.endsWith('/tools')) return 'tools';
  if (of === 'prompts/list' || of.endsWith('/runnable-prompts')) return 'runnable prompts';
  const seenBy = of.includes('{tenant}') ? 'admin' : 'caller';
  if (of === 'resources/list' || of.endsWith('/resources')) return JSON.stringify([seenBy, 'resources']);
  if (of === 'list_conversations' || of.endsWith('/conversations'))
    return JSON.stringify([seenBy, 'conversations']);
  if (of === 'tasks/list' || of.endsWith('/tasks')) return JSON.stringify([seenBy, 'tasks', filter]);
  if (!of.includes('interactions')) return JSON.stringify([of, filter]);
  const isPending = status === 'pending' || (status === undefined && of === 'pending_interactions');
  return JSON.stringify(isPending ? [seenBy, 'pending', others] : [seenBy, 'history', filter]);
}

test('a cursor is opaque: no part of it is a name, and none can be changed', async () => {
  for (const list of lists) {
    const { nextCursor: cursor } = await list.read(first, undefined);
    if (cursor === undefined) continue;
    const decoded = Buffer.from(cursor, 'base64url').toString('latin1');
    for (const text of [cursor, decoded]) {
      expect(text).not.toMatch(/principal|listed-|baton:|[{,[]"\w{2,}"|\d{13}/);
      expect(refs.filter((ref) => text.includes(ref))).toEqual([]);
    }
    for (const at of [0, Math.floor(cursor.length / 2), cursor.length - 1]) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect([list.name, at, await list.read(first, changed)]).toMatchObject([list.name, at, REFUSED]);
    }
    expect((await list.read(first, cursor)).code).toBeUndefined();
  }
}, 120_000);

test('the cursors of a release that did not seal them are refused', async () => {
  const [ref = ''] = refs;
  const old = [{ score: '1763891657123', member: `${ref}|` }, [1, null], 'acme'].map((position) =>
    Buffer.from(JSON.stringify(position)).toString('base64url'),
  );
  for (const list of lists)
    for (const cursor of [...old, Buffer.from('acme').toString('base64url')])
      expect([list.name, await list.read(first, cursor)]).toMatchObject([list.name, REFUSED]);
});
