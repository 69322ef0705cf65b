import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, postJsonRpc } from '../harness/mcp-client.ts';
import {
  connectSecondClient,
  metaWith,
  requestOf2026,
  REVISION,
  standardHeaders,
  TASKS,
} from './client-of-2026.ts';
import { ListeningClient } from './listening-client.ts';
import { sampled } from './sampling-client.ts';

/** `subscriptions/listen` of MCP 2026-07-28: what happens at one replica is told on the streams of another. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(async () => baton?.stop());

const META = metaWith({ sampling: {}, extensions: { [TASKS]: {} } });
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const open: ListeningClient[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

const listen = async (notifications: object, { key = baton.apiKey, at = 0, meta = META as object } = {}) => {
  const client = await ListeningClient.open(baton.url(at), key, notifications, meta);
  open.push(client);
  return client;
};
const send = async (method: string, params: AnyJson, { key = baton.apiKey, at = 1 } = {}): Promise<AnyJson> =>
  (await requestOf2026(baton.url(at), key, method, params, { meta: META })).body.result;
const echo = (at = 1) => send('tools/call', { name: 'bench_echo', arguments: { text: 'a' } }, { at });
const rest = (path: string, key: string, method = 'GET') =>
  fetch(`${baton.url(1)}/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });
const within = { timeout: 10_000 };

describe('a stream', () => {
  test('tells how tasks stand, each time as tasks/get tells it', async () => {
    const { taskId } = await echo();
    const { taskId: other } = await echo();
    const stream = await listen({ taskIds: [taskId] });
    const told = () => stream.ofMethod('notifications/tasks');
    await expect.poll(() => told().at(-1)?.status, within).toBe('input_required');
    expect(stream.messages[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: { [SUBSCRIPTION]: 'listen-1' } },
    });
    const asked = await send('tasks/get', { taskId });
    const { resultType: _, _meta: _stamp, ...shown } = asked;
    expect(told().at(-1)).toEqual({ ...shown, _meta: { [SUBSCRIPTION]: 'listen-1' } });
    const [key = ''] = Object.keys(asked.inputRequests);
    await send('tasks/update', { taskId, inputResponses: { [key]: sampled({ value: 'v' }) } });
    await expect.poll(() => told().at(-1)?.status, within).toBe('completed');
    expect(told().at(-1).result.structuredContent.value).toBe('v');
    await send('tasks/cancel', { taskId: other });
    expect(new Set(told().map((task) => task.taskId))).toEqual(new Set([taskId]));
    expect(new Set(stream.messages.slice(1).map(({ method }) => method))).toEqual(
      new Set(['notifications/tasks']),
    );
  });

  test('tells of resources and of lists, of those that were asked for alone', async () => {
    await send('tools/call', { name: 'initialize_project', arguments: { projectRoot: 'listened' } });
    const { resources } = await send('resources/list', {});
    const project: string = resources.find((one: AnyJson) => one.uri.includes('listened')).uri;
    const stream = await listen({ resourceSubscriptions: [project], resourcesListChanged: true });
    const silent = await listen({ toolsListChanged: true });
    const updates = () => stream.ofMethod('notifications/resources/updated');
    await expect.poll(() => updates().length, within).toBeGreaterThan(0);
    const before = updates().length;
    await send('tools/call', { name: 'add_tag', arguments: { projectRoot: 'listened', name: 'more' } });
    await expect.poll(() => updates().length, within).toBeGreaterThan(before);
    expect(updates().at(-1)).toEqual({ uri: project, _meta: { [SUBSCRIPTION]: 'listen-1' } });
    expect(silent.messages.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ]);
  });

  test('acknowledges what its caller may read, and nothing else', async () => {
    const { taskId } = await echo();
    const mallory = await baton.createKey({ principal: 'mallory' });
    const filter = {
      taskIds: [taskId, 'nothing'],
      resourceSubscriptions: ['baton://nothing'],
      promptsListChanged: true,
    };
    const stream = await listen(filter, { key: mallory });
    await expect
      .poll(() => stream.messages[0]?.params.notifications, within)
      .toEqual({
        taskIds: [],
        resourceSubscriptions: [],
        promptsListChanged: true,
      });
    await send('tasks/cancel', { taskId });
    const agent = await baton.createKey({ scopes: ['agent'] });
    const seen = await listen(filter, { key: agent });
    await expect
      .poll(() => seen.messages[0]?.params.notifications, within)
      .toEqual({
        taskIds: [taskId],
        resourceSubscriptions: [],
      });
    expect(stream.ofMethod('notifications/tasks')).toEqual([]);
  });

  test('ends when its key does', async () => {
    const key = await baton.createKey({ principal: 'shortly' });
    const stream = await listen({ toolsListChanged: true }, { key });
    await expect.poll(() => stream.messages.length, within).toBeGreaterThan(0);
    const { id } = (await (await rest('/key', key)).json()) as AnyJson;
    expect((await rest(`/tenants/acme/keys/${id}`, OPERATOR_TOKEN, 'DELETE')).ok).toBe(true);
    await stream.ended;
  });

  test('ends with a result where its replica stops', async () => {
    const gateway = await baton.addGateway();
    const drained = await ListeningClient.open(gateway.url, baton.apiKey, { toolsListChanged: true }, META);
    await expect.poll(() => drained.messages.length, within).toBeGreaterThan(0);
    await gateway.stop();
    await drained.ended;
    expect(drained.messages.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 'listen-1',
      result: {
        resultType: 'complete',
        _meta: {
          [SUBSCRIPTION]: 'listen-1',
          'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'baton' }),
        },
      },
    });
  });

  test('is taken by the official client', async () => {
    const client = await connectSecondClient(baton.url(0), baton.apiKey, { pin: REVISION });
    const heard: string[] = [];
    client.setNotificationHandler('notifications/prompts/list_changed', () => void heard.push('prompts'));
    const subscription = await client.listen({ promptsListChanged: true });
    await expect.poll(() => heard.length, within).toBeGreaterThan(0);
    await subscription.close();
    await client.close();
  });
});

describe('bad input', () => {
  const refused = async (
    params: AnyJson,
    headers = standardHeaders('subscriptions/listen'),
    meta: object = META,
  ) =>
    postJsonRpc(
      baton.url(),
      baton.apiKey,
      { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { ...params, _meta: meta } },
      headers,
    );

  test.each([
    ['no filter', {}],
    ['a filter that is no object', { notifications: 'all' }],
    ['a flag that is none', { notifications: { toolsListChanged: 'yes' } }],
    ['tasks that are no list', { notifications: { taskIds: 'all' } }],
    ['an empty id', { notifications: { taskIds: [''] } }],
  ])('%s is refused', async (_, params) => {
    expect((await refused(params)).body.error.code).toBe(-32602);
  });

  test('more resources and tasks than a stream tells of are refused', async () => {
    const taskIds = Array.from({ length: 101 }, (_, at) => `task-${at}`);
    const { status, body } = await refused({ notifications: { taskIds } });
    expect([status, body.id, body.error.data.code]).toEqual([413, 1, 'limit_subscriptions']);
  });

  test('tasks need the extension, and a stream a client that takes one', async () => {
    const { status, body } = await refused({ notifications: { taskIds: [] } }, undefined, metaWith({}));
    expect([status, body.error.code]).toEqual([400, -32021]);
    const headers = { ...standardHeaders('subscriptions/listen'), accept: 'application/json' };
    expect((await refused({ notifications: {} }, headers)).status).toBe(406);
  });

  test('a wrong key is refused before anything that is wrong with the filter', async () => {
    const stream = await ListeningClient.open(baton.url(), `${baton.apiKey}x`, {}, META);
    expect(stream.response.status).toBe(401);
  });

  test('a stream that is never read does not keep others from being told', async () => {
    const { taskId } = await echo();
    const unread = await ListeningClient.open(baton.url(0), baton.apiKey, { taskIds: [taskId] }, META);
    const stream = await listen({ taskIds: [taskId] });
    const client = await connectMcpClient(baton.url(1), baton.apiKey);
    await callTool(client, 'cancel_task', { taskId });
    await client.close();
    await expect.poll(() => stream.ofMethod('notifications/tasks').at(-1)?.status, within).toBe('cancelled');
    unread.close();
  });
});
