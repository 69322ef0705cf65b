import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';

/** What a tenant stores has a budget: who reaches it is told what to delete, and what was accepted ends all the same. */
let baton: InProcessDeployment;
let redis: Redis;

beforeAll(async () => {
  baton = await InProcessDeployment.start();
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

let tenants = 0;
async function newTenant(limits: object = {}) {
  const id = `stores-${tenants++}`;
  const key = await baton.addTenant(id, { requestsPerSecond: 100_000, burst: 100_000, ...limits });
  const client = await connectMcpClient(baton.url(), key);
  const call = (name: string, args: object) => callTool(client, name, args);
  const rest = async (method: string, path: string, body?: object, token = key) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const reply = await fetch(`${baton.url(1)}/v1${path}`, init);
    const text = await reply.text();
    return { status: reply.status, body: (text === '' ? undefined : JSON.parse(text)) as AnyJson };
  };
  const limit = (limits: object) => rest('PATCH', `/tenants/${id}`, { limits }, OPERATOR_TOKEN);
  const shown = async () => (await rest('GET', `/tenants/${id}`, undefined, OPERATOR_TOKEN)).body;
  const fill = (projectRoot: string, bytes: number) =>
    call('connect_files', { projectRoot, files: [{ name: 'a.md', text: 'x'.repeat(bytes) }] });
  const park = () => call('bench_echo', { text: 'something' });
  const answer = (interactionId: string, value: string) =>
    call('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value }), waitMs: 10_000 });
  return { id, key, client, call, rest, limit, shown, fill, park, answer };
}

test('over the budget new work is refused by name, accepted work ends, and a deleted project makes room', async () => {
  const { call, rest, limit, shown, fill, park, answer } = await newTenant();
  await call('initialize_project', { projectRoot: 'big' });
  expect((await fill('big', 50_000)).error).toBeUndefined();
  const [parked, other] = [await park(), await park()];
  const { usage } = await shown();
  await limit({ storedBytes: usage.storedBytes + 100 });

  const refusals = [
    await park(),
    await fill('big', 60_000),
    await call('initialize_project', { projectRoot: 'another' }),
  ];
  for (const { error } of refusals) {
    expect(error).toMatchObject({ code: 'limit_storage', limit: 'storedBytes', used: usage.storedBytes });
    expect(error.message).toMatch(/delete_project/);
  }
  const imported = await rest('PUT', '/projects/third', { master: { tasks: [] } });
  expect([imported.status, imported.body.code]).toEqual([413, 'limit_storage']);
  expect((await answer(parked.interactionId, 'yes')).outcome).toMatchObject({ status: 'completed' });
  expect((await call('cancel_task', { taskId: other.taskId })).status).toBe('cancelled');

  const listed = await rest('GET', '/projects');
  expect(listed.body.projects).toEqual([
    { projectRoot: 'big', bytes: expect.any(Number), lastUsedAt: expect.any(String) },
  ]);
  expect(listed.body.projects[0].bytes).toBeGreaterThan(50_000);
  expect(await call('delete_project', { projectRoot: 'big' })).toEqual({ projectRoot: 'big', deleted: true });
  expect((await call('delete_project', { projectRoot: 'big' })).error.code).toBe('project_not_found');
  expect((await park()).status).toBe('pending_agent_llm_action');
  expect((await rest('GET', '/projects')).body.projects).toEqual([]);
});

test('the operator and the resource baton://usage show limits against use', async () => {
  const { client, call, fill, park, rest, shown } = await newTenant();
  await call('initialize_project', { projectRoot: 'small' });
  await call('initialize_project', { projectRoot: 'large' });
  await fill('large', 9_000);
  await park();
  const { contents } = await client.readResource({ uri: 'baton://usage' });
  const { limits, usage, projects } = JSON.parse(String((contents[0] as { text: string }).text)) as AnyJson;
  expect(projects.map(({ projectRoot }: AnyJson) => projectRoot)).toEqual(['large', 'small']);
  expect(limits).toMatchObject({ storedBytes: 268_435_456, projectBytes: 8_388_608, retainedTasks: 10_000 });
  expect(usage).toMatchObject({ projects: 2, openTasks: 1, retainedTasks: 0, pendingInteractions: 1 });
  expect(await shown()).toMatchObject({ limits, usage });
  expect((await rest('DELETE', '/projects/large')).status).toBe(204);
  expect((await rest('DELETE', '/projects/large')).status).toBe(404);
  expect((await shown()).usage.projects).toBe(1);
});

test('more projects, or a larger one, than the tenant may have are refused by the limit of their own', async () => {
  const { call, fill } = await newTenant({ projects: 1, projectBytes: 20_000 });
  await call('initialize_project', { projectRoot: 'one' });
  expect((await call('initialize_project', { projectRoot: 'two' })).error).toMatchObject({
    code: 'limit_storage',
    limit: 'projects',
    most: 1,
  });
  expect((await fill('one', 30_000)).error).toMatchObject({ code: 'limit_storage', limit: 'projectBytes' });
});

test('what adds to a project without room is refused before anything is delegated', async () => {
  const { call, limit, rest, shown } = await newTenant();
  await call('initialize_project', { projectRoot: 'one' });
  const subtasks = [{ id: 1, title: 'Pictures', description: 'Of each.' }];
  const tasks = [{ id: 1, title: 'Catalogue', description: 'Show it.', subtasks }];
  expect((await rest('PUT', '/projects/one', { master: { tasks } })).status).toBe(200);
  const bytes = (await rest('GET', '/projects')).body.projects[0].bytes;
  const refused = async (named: string, name: string, args: object) => {
    const { error } = await call(name, args);
    expect([name, error]).toMatchObject([name, { code: 'limit_storage', limit: named }]);
    expect(error.message).toMatch(named === 'projects' ? /delete_project/ : /Delete tasks/);
  };
  await limit({ projects: 1 });
  const two = { projectRoot: 'two' };
  await refused('projects', 'parse_prd', { ...two, prd: 'A shop.' });
  await refused('projects', 'parse_prd', { ...two, prd: 'A shop.', force: true });
  await refused('projects', 'add_task', { ...two, prompt: 'A basket' });
  await limit({ projectBytes: bytes });
  const one = { projectRoot: 'one' };
  await refused('projectBytes', 'parse_prd', { ...one, prd: 'A shop.', append: true });
  await refused('projectBytes', 'add_task', { ...one, prompt: 'A basket' });
  await refused('projectBytes', 'add_task', { ...one, title: 'A basket', description: 'To pay.' });
  await refused('projectBytes', 'expand_task', { ...one, id: 1 });
  await refused('projectBytes', 'update_task', { ...one, id: 1, prompt: 'Cached', append: true });
  await refused('projectBytes', 'update_subtask', { ...one, id: '1.1', prompt: 'Cached' });
  await refused('projectBytes', 'research', { ...one, query: 'Which format?', saveTo: '1' });
  await refused('projectBytes', 'analyze_project_complexity', one);
  const { usage } = await shown();
  expect([usage.openTasks, usage.pendingInteractions]).toEqual([0, 0]);
  // What may make it smaller, or leaves it as it is, is taken.
  expect((await call('expand_task', { ...one, id: 1, force: true })).status).toMatch(/pending/);
  expect((await call('parse_prd', { ...one, prd: 'A shop.', force: true })).status).toMatch(/pending/);
  expect((await call('update_task', { ...one, id: 1, prompt: 'Shorter' })).status).toMatch(/pending/);
  expect((await call('research', { ...one, query: 'Which format?' })).status).toMatch(/pending/);
});

const LARGE = 'x'.repeat(100_000);

test.each([
  ['add_task', { prompt: 'A basket', tag: 'full' }, 'tasksPerTag'],
  ['parse_prd', { prd: 'A shop.', append: true, tag: 'full' }, 'tasksPerTag'],
  ['expand_task', { id: 1 }, 'subtasksPerTask'],
  ['update_task', { id: 2, prompt: 'Cached', append: true }, 'detailsLength'],
  ['update_subtask', { id: '3.1', prompt: 'Cached' }, 'detailsLength'],
  ['research', { query: 'Which format?', saveTo: '2' }, 'detailsLength'],
  ['expand_task', { id: 14, tag: 'parts' }, 'subtasksPerTag'],
  ['expand_task', { id: 4 }, 'taskLength'],
  ['update_subtask', { id: '4.1', prompt: 'Cached' }, 'taskLength'],
  ['research', { query: 'Which format?', saveTo: '4' }, 'taskLength'],
])('%s where no answer has room is refused before anything is delegated', async (name, args, limit) => {
  const { call, rest, shown } = await newTenant({ requestBytes: 8 * 1_048_576 });
  await call('initialize_project', { projectRoot: 'shop' });
  const numbered = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, at) => ({ id: at + 1, title: 't', description: '', ...more }));
  const withSubtasks = (id: number, count: number) => ({ id, title: 't', subtasks: numbered(count) });
  const parts = [...numbered(12).map(({ id }) => withSubtasks(id, 1_000)), withSubtasks(13, 500)];
  // As long as a task may be, less what one more subtask takes.
  const longest = { id: 4, title: 'Longest', subtasks: numbered(11, { details: 'x'.repeat(95_226) }) };
  const tasks = [
    { id: 1, title: 'Many parts', description: '', subtasks: numbered(1_000) },
    { id: 2, title: 'Long', description: '', details: LARGE },
    { id: 3, title: 'Long part', description: '', subtasks: [{ id: 1, title: 'Part', details: LARGE }] },
  ];
  const file = {
    master: { tasks: [...tasks, longest] },
    full: { tasks: numbered(10_000) },
    parts: { tasks: [...parts, { id: 14, title: 'One more', description: '' }] },
  };
  expect((await rest('PUT', '/projects/shop', file)).status).toBe(200);
  const { error } = await call(name, { projectRoot: 'shop', ...args });
  expect(error).toMatchObject({ code: 'limit_size', limit });
  const { usage } = await shown();
  expect([usage.openTasks, usage.pendingInteractions]).toEqual([0, 0]);
});

test('a task whose tag was filled while the LLM was at work waits for room in it', async () => {
  const { call, rest } = await newTenant();
  await call('initialize_project', { projectRoot: 'shop' });
  const asked = await call('add_task', { projectRoot: 'shop', prompt: 'A basket' });
  const tasks = Array.from({ length: 10_000 }, (_, at) => ({ id: at + 1, title: 't', description: '' }));
  expect((await rest('PUT', '/projects/shop', { master: { tasks } })).status).toBe(200);
  const task = { title: 'A basket', description: 'To pay.', details: 'One.', testStrategy: 'Two.' };
  const answer = { interactionId: asked.interactionId, agentLLMResponse: successAnswer(task) };
  const { outcome } = await call('agent_llm', { ...answer, waitMs: 10_000 });
  expect(outcome).toMatchObject({ status: 'working', waitsForRoom: { limit: 'tasksPerTag' } });
  await call('remove_task', { projectRoot: 'shop', id: '7' });
  const ended = await call('task_status', { taskId: asked.taskId, waitMs: 20_000 });
  expect(ended).toMatchObject({ status: 'completed', result: { task: { title: 'A basket' } } });
});

test('a message whose turn has no room in its conversation waits for it, and is answered once', async () => {
  const { id, call, rest, limit, shown } = await newTenant();
  const adminKey = await baton.createKey({ scopes: ['admin'] }, id);
  const agent = { id: 'first', name: 'First', instructions: 'Be of use.', isPrimary: true };
  expect((await rest('PUT', '/agents/first', agent, adminKey)).status).toBe(200);
  const asked = await call('ask_assistant', { message: 'Hello' });
  const { usage, limits } = await shown();
  await limit({ storedBytes: usage.storedBytes });
  const { outcome } = await call('agent_llm', {
    interactionId: asked.interactionId,
    agentLLMResponse: { status: 'success', data: { text: 'Hello to you.' } },
    waitMs: 10_000,
  });
  expect(outcome).toMatchObject({ status: 'working', waitsForRoom: { limit: 'storedBytes' } });
  await limit({ storedBytes: limits.storedBytes });
  const { status, result } = await call('task_status', { taskId: asked.taskId, waitMs: 20_000 });
  expect([status, result.response, result.attempts.length]).toEqual(['completed', 'Hello to you.', 1]);
  const { dialog } = await call('get_conversation', { conversationId: result.conversationId });
  expect(dialog.map(({ content }: AnyJson) => content)).toEqual(['Hello', 'Hello to you.']);
});

test.each(['storedBytes', 'projects', 'projectBytes'])(
  'a task whose change has no room within %s says so at once, keeps its answer, and goes on when there is room',
  async (named) => {
    const { call, limit, shown } = await newTenant();
    await call('initialize_project', { projectRoot: 'shop' });
    await call('initialize_project', { projectRoot: 'other' });
    const projectRoot = named === 'projects' ? 'third' : 'shop';
    const plan = await call('parse_prd', { prd: 'A shop.', numTasks: 1, projectRoot, append: true });
    const { usage, limits } = await shown();
    await limit({ [named]: { storedBytes: usage.storedBytes, projects: 2, projectBytes: 1_000 }[named] });
    const tasks = [{ id: 1, title: 'Catalogue', description: 'x'.repeat(1_000) }];
    const answer = { interactionId: plan.interactionId, agentLLMResponse: successAnswer({ tasks }) };
    const { outcome } = await call('agent_llm', { ...answer, waitMs: 10_000 });
    expect(outcome).toMatchObject({ status: 'working', waitsForRoom: { limit: named } });
    expect(outcome.waitsForRoom.message).toMatch(/delete_project/);
    expect(await call('task_status', { taskId: plan.taskId })).toMatchObject({
      status: 'working',
      waitsForRoom: { limit: named },
    });
    await limit({ [named]: limits[named] });
    const ended = await call('task_status', { taskId: plan.taskId, waitMs: 20_000 });
    expect(ended).toMatchObject({ status: 'completed', result: { tasksAdded: 1 } });
    expect(await call('agent_llm', { ...answer, waitMs: 0 })).toMatchObject({ replayed: true });
    expect((await call('get_tasks', { projectRoot })).tasks).toHaveLength(1);
  },
);

test('a task that runs on a project that is deleted meanwhile says so, and does not bring it back', async () => {
  const { call } = await newTenant();
  await call('initialize_project', { projectRoot: 'shop' });
  await call('add_tag', { projectRoot: 'shop', name: 'later' });
  const plan = { prd: 'A shop.', numTasks: 1, projectRoot: 'shop', tag: 'later', append: true };
  const { interactionId } = await call('parse_prd', plan);
  await call('delete_project', { projectRoot: 'shop' });
  const tasks = [{ id: 1, title: 'Catalogue', description: 'Show it.' }];
  const { outcome } = await call('agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ tasks }),
    waitMs: 10_000,
  });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'project_not_found' } });
  expect((await call('get_tasks', { projectRoot: 'shop' })).error).toMatchObject({
    code: 'project_not_found',
  });
});

test('a tenant whose record lacks a limit has its default, wherever it counts', async () => {
  const { id, call, park, answer, shown } = await newTenant();
  const { tenant: record } = baton.store.tenant(id).keys;
  const limits = Object.keys((await shown()).limits);
  await redis.hdel(record, ...limits);
  const { interactionId } = await park();
  expect((await answer(interactionId, 'yes')).outcome).toMatchObject({ status: 'completed' });
  expect((await call('initialize_project', { projectRoot: 'p' })).error).toBeUndefined();
  const { limits: read } = await shown();
  expect(read).toMatchObject({ requestsPerSecond: 100, delegatedRequestBytes: 262_144, projects: 100 });
});
