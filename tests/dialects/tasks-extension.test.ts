import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';
import { metaWith, requestOf2026, standardHeaders, TASKS } from './client-of-2026.ts';
import { sampled } from './sampling-client.ts';

/** The extension io.modelcontextprotocol/tasks of MCP 2026-07-28: calls that go on as tasks, over two replicas. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(async () => baton?.stop());

const EXTENSION = { extensions: { [TASKS]: {} } };
const BOTH = metaWith({ ...EXTENSION, sampling: {} });

let turn = 0;
/** Each request goes to the other replica. */
const post = (method: string, params: AnyJson, { key = baton.apiKey, meta = BOTH as AnyJson } = {}) =>
  requestOf2026(baton.url(turn++ % 2), key, method, params, { meta });
const resultOf = async (...given: Parameters<typeof post>): Promise<AnyJson> => {
  const { body } = await post(...given);
  if (body.error !== undefined) throw new Error(JSON.stringify(body.error));
  const { _meta, ...result } = body.result;
  expect(_meta).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { name: 'baton' } });
  return result;
};
const errorOf = async (...given: Parameters<typeof post>): Promise<AnyJson> =>
  (await post(...given)).body.error;

const echo = { name: 'bench_echo', arguments: { text: 'a' } };
const start = (call: AnyJson = echo) => resultOf('tools/call', call);
const get = (taskId: string) => resultOf('tasks/get', { taskId });
const keysOf = (task: AnyJson): string[] => Object.keys(task.inputRequests ?? {});
const update = (taskId: string, inputResponses: AnyJson) =>
  resultOf('tasks/update', { taskId, inputResponses });
const answersTo = (keys: readonly string[], value: unknown = { value: 'v' }) =>
  Object.fromEntries(keys.map((key) => [key, sampled(value)]));
const settled = async (taskId: string): Promise<AnyJson> => {
  let task: AnyJson;
  await expect
    .poll(async () => (task = await get(taskId)).status, { timeout: 10_000 })
    .not.toMatch(/working|input_required/);
  return task;
};

test('a call whose work asks nothing has its result, with the id of its task; repeated under its key too', async () => {
  const meta = { ...BOTH, 'baton/idempotencyKey': 'once' };
  const added = { name: 'add_task', arguments: { title: 'A well', description: 'Dig it.' } };
  const [first, again] = [
    await resultOf('tools/call', added, { meta }),
    await resultOf('tools/call', added, { meta }),
  ];
  expect(first).toMatchObject({ resultType: 'complete', structuredContent: { status: 'completed', id: 1 } });
  expect(again).toEqual(first);
  await resultOf('tools/call', { name: 'initialize_project', arguments: { projectRoot: 'nothing' } });
  const { structuredContent } = await start({ name: 'expand_all', arguments: { projectRoot: 'nothing' } });
  expect(structuredContent).toMatchObject({ status: 'completed', taskId: expect.any(String) });
  expect(await get(structuredContent.taskId)).toMatchObject({ status: 'completed' });
});

describe('a task', () => {
  test('is begun by a call, asks, takes answers one at a time, and ends with the result that the call would have had', async () => {
    const begun = await start({ name: 'bench_fan', arguments: { n: 3 } });
    expect(begun).toEqual({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'input_required',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpdatedAt: expect.any(String),
      ttlMs: 2 * 86_400_000,
      pollIntervalMs: 1_000,
    });
    const { taskId } = begun;
    const asked = await get(taskId);
    expect(asked).toMatchObject({ resultType: 'complete', taskId, status: 'input_required' });
    const keys = keysOf(asked);
    expect(keys.length).toBe(3);
    expect(asked.inputRequests[keys[0]!]).toMatchObject({
      method: 'sampling/createMessage',
      params: { messages: [{ role: 'user' }], maxTokens: 64_000 },
    });
    expect(await update(taskId, answersTo(keys.slice(0, 1), { value: 'first' }))).toEqual({
      resultType: 'complete',
    });
    expect(keysOf(await get(taskId))).toEqual(keys.slice(1));
    await update(taskId, answersTo(keys.slice(1)));
    const done = await get(taskId);
    expect(done).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'completed', values: ['first', 'v', 'v'] } },
    });
    expect(done.result).not.toHaveProperty('_meta');
    expect(done).not.toHaveProperty('inputRequests');
    expect(done).not.toHaveProperty('pollIntervalMs');
  });

  test('that ends at once is the result of its call', async () => {
    const done = await resultOf('tools/call', { name: 'list_tags', arguments: {} });
    expect(done.resultType).toBe('complete');
  });

  test('asks again under another key where an answer does not fit, and an answer counts once', async () => {
    const { taskId } = await start();
    const first = keysOf(await get(taskId));
    await update(taskId, answersTo(first, 'no JSON'));
    const second = keysOf(await get(taskId));
    expect(second).not.toEqual(first);
    await update(taskId, answersTo(second, { value: 'right' }));
    // What waits for no answer any more is ignored, and so is what was never asked.
    for (const ignored of [
      answersTo(first),
      answersTo(second, { value: 'late' }),
      { wrong: sampled('x') },
      {},
    ])
      expect(await update(taskId, ignored)).toEqual({ resultType: 'complete' });
    expect((await settled(taskId)).result.structuredContent.value).toBe('right');
  });

  test('goes on where another dialect answers it', async () => {
    const { taskId } = await start();
    const [interactionId] = keysOf(await get(taskId));
    const client = await connectMcpClient(baton.url(1), baton.apiKey);
    await callTool(client, 'agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({ object: { value: 'elsewhere' } }),
    });
    await client.close();
    expect((await settled(taskId)).result.structuredContent.value).toBe('elsewhere');
  });

  test('completes with an error of its work, and fails by a fault of Baton', async () => {
    const poisoned = await start({ name: 'bench_poison', arguments: { text: 'a' } });
    await update(poisoned.taskId, answersTo(keysOf(await get(poisoned.taskId))));
    const failed = await settled(poisoned.taskId);
    expect(failed).toMatchObject({ status: 'failed', error: { code: -32603, message: expect.any(String) } });
    expect(failed).not.toHaveProperty('result');
    const refused = await start();
    const asked = keysOf(await get(refused.taskId));
    const client = await connectMcpClient(baton.url(1), baton.apiKey);
    const agentLLMResponse = { status: 'error', errorDetails: { message: 'no credit', type: 'billing' } };
    await callTool(client, 'agent_llm', { interactionId: asked[0], agentLLMResponse });
    await client.close();
    expect(await settled(refused.taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, structuredContent: { error: { code: 'agent_error' } } },
    });
  });

  test('is cancelled, however often', async () => {
    const { taskId } = await start();
    for (let times = 0; times < 2; times++)
      expect(await resultOf('tasks/cancel', { taskId })).toEqual({ resultType: 'complete' });
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await update(taskId, {})).toEqual({ resultType: 'complete' });
  });

  test("is its principal's, and unknown ones are refused", async () => {
    const { taskId } = await start();
    const keys = keysOf(await get(taskId));
    const mallory = await baton.createKey({ principal: 'mallory' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      for (const [id, key] of [
        [taskId, mallory],
        ['nothing', baton.apiKey],
      ] as const) {
        const params = { taskId: id, inputResponses: answersTo(keys) };
        expect([method, (await errorOf(method, params, { key })).code]).toEqual([method, -32602]);
      }
    expect(keysOf(await get(taskId))).toEqual(keys);
  });
});

describe('the caller of', () => {
  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s is admitted once, within its tenant’s rate, and before what is wrong with the request is told',
    async (method) => {
      const tenant = `rated-${method.slice(6)}`;
      const key = await baton.addTenant(tenant, { requestsPerSecond: 1, burst: 5 });
      const { apiKeys, keys } = baton.store.tenant(tenant);
      const redis = new Redis(baton.redisUrl.replace('unix://', ''));
      const begun = await resultOf('tools/call', echo, { key });
      const { taskId } = begun;
      const later = Date.now() + 3_600_000;
      const used = async (params: AnyJson, meta: object = BOTH) => {
        await redis.hset(keys.tenant, { tokens: 5, filled: later });
        const { status, body } = await post(method, params, { key, meta });
        return [status, body.error?.code, 5 - Number(await redis.hget(keys.tenant, 'tokens'))];
      };
      const inputResponses = answersTo([`${taskId.slice(0, -4)}0001`]);
      expect(await used({ taskId: 'nothing', inputResponses })).toEqual([200, -32602, 1]);
      expect(await used({ taskId: 7, inputResponses })).toEqual([200, -32602, 1]);
      expect(await used({ taskId, inputResponses }, metaWith({ sampling: {} }))).toEqual([400, -32021, 1]);
      expect(await used({ taskId, inputResponses })).toEqual([200, undefined, 1]);
      const revoked = await baton.createKey({}, tenant);
      await apiKeys.revoke(revoked.split('_')[2] ?? '');
      for (const params of [{ taskId, inputResponses }, { taskId: 7 }])
        expect((await post(method, params, { key: revoked })).status).toBe(401);
      await redis.hset(keys.tenant, { tokens: -100, filled: later });
      await redis.del(keys.rates);
      expect((await post(method, { taskId }, { key })).status).toBe(429);
      redis.disconnect();
    },
  );
});

describe('bad input', () => {
  test.each([
    ['a number', 7],
    ["an elicitation's", { action: 'accept', content: {} }],
  ])('an answer that is none is refused with its key, and nothing is taken: %s', async (_, response) => {
    const { taskId } = await start({ name: 'bench_fan', arguments: { n: 2 } });
    const [one = '', other = ''] = keysOf(await get(taskId));
    const inputResponses = { ...answersTo([one]), [other]: response };
    const error = await errorOf('tasks/update', { taskId, inputResponses });
    expect(error).toMatchObject({ code: -32602, data: { field: `inputResponses.${other}` } });
    expect(keysOf(await get(taskId))).toEqual([one, other]);
  });

  test('answers to thousands of requests that were never made cost Redis nothing', async () => {
    const { taskId } = await start();
    const keys = Array.from(
      { length: 2_000 },
      (_, at) => taskId.slice(0, -4) + (at + 2).toString(16).padStart(4, '0'),
    );
    const monitor = await RedisMonitor.open(baton.redisUrl);
    const commands = await monitor.commandsOf(() => update(taskId, answersTo(keys)));
    monitor.close();
    expect(commands.length).toBeLessThan(20);
    expect((await get(taskId)).status).toBe('input_required');
  });

  test('tasks/update without answers is refused', async () => {
    const { taskId } = await start();
    expect(await errorOf('tasks/update', { taskId })).toMatchObject({
      code: -32602,
      data: { field: 'inputResponses' },
    });
  });

  test('Mcp-Name must be the task', async () => {
    const { taskId } = await start();
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const headers = { ...standardHeaders(method, { taskId }), 'mcp-name': 'another' };
      const { status, body } = await requestOf2026(
        baton.url(),
        baton.apiKey,
        method,
        { taskId },
        { headers, meta: BOTH },
      );
      expect([status, body.error.code]).toEqual([400, -32020]);
    }
  });

  test.each(['tasks/list', 'tasks/result'])('%s is none of this revision', async (method) => {
    const { status, body } = await post(method, { taskId: 'x' });
    expect([status, body.error.code]).toEqual([404, -32601]);
  });
});

describe('the extension', () => {
  test('is declared by the server, and needed of the client', async () => {
    const { capabilities } = await resultOf('server/discover', {});
    expect(capabilities.extensions).toEqual({ [TASKS]: {} });
    expect(capabilities).not.toHaveProperty('tasks');
    const { taskId } = await start();
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { status, body } = await post(
        method,
        { taskId, inputResponses: {} },
        { meta: metaWith({ sampling: {} }) },
      );
      expect([method, status]).toEqual([method, 400]);
      expect(body.error).toMatchObject({ code: -32021, data: { requiredCapabilities: EXTENSION } });
    }
    expect((await get(taskId)).status).toBe('input_required');
  });

  test.each([
    ['without it', { sampling: {} }, {}, 'input_required'],
    ['without sampling', EXTENSION, {}, 'complete'],
    ['with neither', {}, {}, 'complete'],
    ['that forces the directive', { ...EXTENSION, sampling: {} }, { 'baton/dialect': 'tool' }, 'complete'],
    ['that forces the task', EXTENSION, { 'baton/dialect': 'task' }, 'task'],
  ])('a client %s', async (_, capabilities, more, resultType) => {
    const meta = metaWith(capabilities, more);
    expect((await resultOf('tools/call', echo, { meta })).resultType).toBe(resultType);
  });

  test('a client that cannot be asked is told that the task goes on, and by what it is answered', async () => {
    const { taskId } = await start();
    const shown = await resultOf('tasks/get', { taskId }, { meta: metaWith(EXTENSION) });
    expect(shown).toMatchObject({ status: 'working', statusMessage: expect.stringContaining('agent_llm') });
    expect(shown).not.toHaveProperty('inputRequests');
  });

  test('a client that cannot be asked, and forces a task, is told the same by its call as by tasks/get', async () => {
    const meta = metaWith(EXTENSION, { 'baton/dialect': 'task' });
    const begun = await resultOf('tools/call', echo, { meta });
    expect(begun).toMatchObject({
      resultType: 'task',
      status: 'working',
      statusMessage: expect.stringContaining('agent_llm'),
    });
    const { taskId } = begun;
    const shown = await resultOf('tasks/get', { taskId }, { meta: metaWith(EXTENSION) });
    for (const field of ['status', 'statusMessage']) expect(shown[field]).toBe(begun[field]);
    // Who can be asked is told that it is.
    expect((await resultOf('tasks/get', { taskId })).status).toBe('input_required');
  });

  test('a task of 2025, as a param of the call, changes nothing', async () => {
    expect(
      (await resultOf('tools/call', { name: 'list_tags', arguments: {}, task: { ttl: 1 } })).resultType,
    ).toBe('complete');
    expect((await start({ ...echo, task: { ttl: 1 } })).resultType).toBe('task');
  });
});
