import { OperatorStore } from '@baton/store/operator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, successAnswer } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';

/** What an MCP client is notified of, for programs with nothing but HTTP: a stream of events. */
let baton: InProcessDeployment;
const open = new Set<AbortController>();
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterEach(() => {
  for (const one of open) one.abort();
  open.clear();
});
afterAll(() => baton?.stop());

interface Event {
  readonly event: string;
  readonly data: AnyJson;
}

/** The events of a response as they come. */
function eventsOf(response: Response) {
  const events: Event[] = [];
  const state = { ended: false };
  void (async () => {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(part, { stream: true });
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const one of parts) {
          const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(one) ?? [];
          if (event !== undefined) events.push({ event, data: JSON.parse(data ?? '') });
        }
      }
    } catch {
      // The test has ended it.
    }
    state.ended = true;
  })();
  const seen = (event: string, data?: object) =>
    events.some(
      (one) => one.event === event && JSON.stringify(one.data) === JSON.stringify(data ?? one.data),
    );
  return {
    events,
    clear: () => events.splice(0),
    seen,
    until: (event: string, data?: object) =>
      waitUntilOrThrow(`event ${event} ${JSON.stringify(data)}`, 5_000, async () => seen(event, data)),
    untilEnded: () => waitUntilOrThrow('the end of the stream', 5_000, async () => state.ended),
  };
}

const send = (
  method: string,
  path: string,
  body?: unknown,
  { key = baton.apiKey, at = 0, headers = {} } = {},
) => {
  const abort = new AbortController();
  open.add(abort);
  return fetch(`${baton.url(at)}${path}`, {
    method,
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};
const bodyOf = async (response: Response): Promise<AnyJson> => response.json() as AnyJson;
const call = async (name: string, args: object, options = {}): Promise<AnyJson> =>
  bodyOf(await send('POST', `/v1/tools/${name}`, args, options));
const tasksOf = (project: string) => `baton://projects/${project}/tasks`;
const query = (...uris: string[]) => uris.map((uri) => `resource=${encodeURIComponent(uri)}`).join('&');
const listen = async (uris: string[], options = {}) => {
  const response = await send('GET', `/v1/events?${query(...uris)}`, undefined, options);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return eventsOf(response);
};
const addTask = (projectRoot: string) =>
  call('add_task', { projectRoot, title: 'Dig', description: 'A hole.' });

test('a stream at one replica tells of changes made at another, by call and by worker, and of no other', async () => {
  for (const project of ['heard', 'other']) await call('initialize_project', { projectRoot: project });
  const stream = await listen([tasksOf('heard')], { at: 1 });
  // Opened, it tells all that it is about: nothing between two streams is missed.
  await stream.until('resources/updated', { uri: tasksOf('heard') });
  for (const list of ['resources', 'tools', 'prompts'])
    expect(stream.seen(`${list}/list_changed`, {})).toBe(true);
  stream.clear();
  await addTask('other');
  await addTask('heard');
  await stream.until('resources/updated', { uri: tasksOf('heard') });
  expect(stream.seen('resources/updated', { uri: tasksOf('other') })).toBe(false);
  stream.clear();
  // The commit is a worker's.
  const { interactionId } = await call('parse_prd', {
    prd: 'A garden.',
    numTasks: 1,
    projectRoot: 'heard',
    append: true,
  });
  const tasks = [{ id: 2, title: 'Dig', description: 'A hole.' }];
  await call('agent_llm', { interactionId, agentLLMResponse: successAnswer({ tasks }) });
  await stream.until('resources/updated', { uri: tasksOf('heard') });
});

test('a task is told from parking to its end, and lists of prompts and tools when definitions change', async () => {
  const { taskId, interactionId } = await call('bench_echo', { text: 'x' });
  const stream = await listen([`baton://tasks/${taskId}`, `baton://interactions/${interactionId}`], {
    at: 1,
  });
  await stream.until('resources/updated', { uri: `baton://tasks/${taskId}` });
  stream.clear();
  await call('cancel_task', { taskId });
  await stream.until('resources/updated', { uri: `baton://tasks/${taskId}` });
  await stream.until('resources/list_changed', {});
  stream.clear();
  const base = '/v1/tenants/acme';
  const asOperator = { key: OPERATOR_TOKEN };
  const agent = (id: string) => ({ id, name: id, instructions: 'x' });
  for (const id of ['assistant', 'helper'])
    expect((await send('PUT', `${base}/agents/${id}`, agent(id), asOperator)).status).toBeLessThan(300);
  await stream.until('tools/list_changed', {});
});

test.each(['an admin', 'the operator'])(
  '%s is told of everyone in the tenant, and of no other tenant',
  async (who) => {
    const [key, path] =
      who === 'an admin'
        ? [await baton.createKey({ scopes: ['admin'] }), '/v1/events']
        : [OPERATOR_TOKEN, '/v1/tenants/acme/events'];
    const others = await baton.addTenant(`beside-${who.replace(' ', '-')}`);
    const stream = eventsOf(await send('GET', path, undefined, { key, at: 1 }));
    await stream.until('resources/list_changed', {});
    stream.clear();
    await call('bench_echo', { text: 'x' }, { key: others });
    const { taskId } = await call('bench_echo', { text: 'x' });
    await stream.until('resources/list_changed', {});
    expect(stream.events.filter(({ event }) => event === 'resources/list_changed')).toHaveLength(1);
    const foreign = await send('GET', `/v1/events?${query(`baton://tasks/${taskId}`)}`, undefined, {
      key: others,
    });
    expect(foreign.status).toBe(404);
  },
);

test("an operator's stream is of a task too; an admin's ends with its key", async () => {
  const { taskId } = await call('bench_echo', { text: 'x' });
  const uri = `baton://tasks/${taskId}`;
  const path = `/v1/tenants/acme/events?${query(uri)}`;
  const stream = eventsOf(await send('GET', path, undefined, { key: OPERATOR_TOKEN, at: 1 }));
  await stream.until('resources/updated', { uri });
  stream.clear();
  await call('cancel_task', { taskId });
  await stream.until('resources/updated', { uri });

  const { apiKeys } = baton.store.tenant('acme');
  const admin = await apiKeys.create({ name: 'short', scopes: ['admin'], tools: 'all' });
  const held = eventsOf(await send('GET', '/v1/events', undefined, { key: admin.key, at: 1 }));
  await held.until('resources/list_changed', {});
  await apiKeys.revoke(admin.id);
  await held.untilEnded();
});

test('streams need no session and leave nothing in Redis; what may not be read is refused before one begins', async () => {
  const gone = await send('GET', `/v1/events?${query('baton://projects/none/rules')}`);
  expect([gone.status, (await bodyOf(gone)).code]).toEqual([404, 'project_not_found']);
  const unknown = await send('GET', `/v1/events?${query('file:///etc/passwd')}`);
  expect([unknown.status, (await bodyOf(unknown)).code]).toEqual([404, 'not_found']);
  const agent = await baton.createKey({ scopes: ['agent'] });
  await call('initialize_project', { projectRoot: 'kept' });
  const forbidden = await send('GET', `/v1/events?${query(tasksOf('kept'))}`, undefined, { key: agent });
  expect([forbidden.status, (await bodyOf(forbidden)).code]).toEqual([403, 'insufficient_scope']);
  const json = await send('GET', '/v1/events', undefined, { headers: { accept: 'application/json' } });
  expect([json.status, (await bodyOf(json)).code]).toEqual([406, 'not_acceptable']);
  const many = await send('GET', `/v1/events?${'resource=a&'.repeat(101)}`);
  expect([many.status, (await bodyOf(many)).code]).toEqual([400, 'invalid_arguments']);
  const operator = await send('GET', '/v1/events', undefined, { key: OPERATOR_TOKEN });
  expect([operator.status, (await bodyOf(operator)).code]).toEqual([400, 'invalid_arguments']);
  const other = await baton.addTenant('stranger');
  const foreign = await send('GET', `/v1/events?${query(tasksOf('kept'))}`, undefined, { key: other });
  expect(foreign.status).toBe(404);
});

test('each resource of a stream costs a request of the rate, as a subscription does', async () => {
  const key = await baton.addTenant('slow', { requestsPerSecond: 0.01, burst: 3 });
  await call('initialize_project', { projectRoot: 'p' }, { key });
  const uris = ['rules', 'files', 'status'].map((what) => `baton://projects/p/${what}`);
  const refused = await send('GET', `/v1/events?${query(...uris)}`, undefined, { key });
  expect([refused.status, (await bodyOf(refused)).code]).toEqual([429, 'limit_rate']);
});

test('a stream ends with its key, its tenant and its gateway, at every replica', async () => {
  const { id, key } = await baton.store.tenant('acme').apiKeys.create({ name: 'short', scopes: ['mcp'] });
  const suspended = await baton.addTenant('suspended');
  const streams = await Promise.all(
    [0, 1].flatMap((at) => [key, suspended].map((one) => listen([], { key: one, at }))),
  );
  await baton.store.tenant('acme').apiKeys.revoke(id);
  await new OperatorStore(baton.store).update('suspended', { suspended: true });
  await Promise.all(streams.map((stream) => stream.untilEnded()));
  const gateway = await baton.addGateway();
  const draining = eventsOf(
    await fetch(`${gateway.url}/v1/events`, { headers: { authorization: `Bearer ${baton.apiKey}` } }),
  );
  await Promise.all([gateway.stop(), draining.untilEnded()]);
});

test('a call of a tool is answered with JSON whatever it accepts, also where it waits', async () => {
  const headers = { accept: 'text/event-stream' };
  const typeOf = (response: Response) => response.headers.get('content-type');
  const asked = await send('POST', '/v1/tools/bench_echo', { text: 'x' }, { headers });
  expect([asked.status, typeOf(asked)]).toEqual([202, 'application/json; charset=utf-8']);
  const { taskId } = await bodyOf(asked);
  const waited = await send('POST', '/v1/tools/task_status', { taskId, waitMs: 100 }, { headers });
  expect([waited.status, typeOf(waited)]).toEqual([200, 'application/json; charset=utf-8']);
  const refused = await send('POST', '/v1/tools/get_tasks', { tag: 7 }, { headers });
  expect([refused.status, typeOf(refused)]).toEqual([400, 'application/problem+json; charset=utf-8']);
});

test('the list of what may be run is that of prompts/list', async () => {
  const listed = await bodyOf(await send('GET', '/v1/runnable-prompts', undefined, { at: 1 }));
  const body = { jsonrpc: '2.0', id: 1, method: 'prompts/list' };
  const headers = { accept: 'application/json, text/event-stream' };
  const { result } = await bodyOf(await send('POST', '/mcp', body, { headers }));
  expect(listed).toEqual(result);
});
