import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc, successAnswer } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { TOOL_ARGUMENTS } from './tool-arguments.ts';

/**
 * Redis has between 3 and 10 percent of its memory left: every tool and every route that writes either is refused, since it brings
 * something new in, or is done, since it reads, answers, ends or deletes. A tool or a route that is not here fails the test.
 */
const TAKEN = 0.935;
/** So much else is stored that what the calls write changes little. */
const FILLER_BYTES = 64 * 1_048_576;

/** Tools that are done though they change something. All other tools that are no mere reads are refused. */
const DONE_TOOLS = [
  'cancel_task',
  'complete_task',
  'delete_conversation',
  'delete_project',
  'delete_tag',
  'move_task',
  'pending_interactions',
  'remove_task',
  'resume_workflow',
];

/** Routes that write, in the order in which they are called, and whether they are done. */
const ROUTES: Readonly<Record<string, { done: boolean; body?: object; operator?: true }>> = {
  'PUT /v1/projects/{id}': { done: false, body: { master: { tasks: [{ id: 1, title: 'x' }] } } },
  'POST /v1/tenants': { done: true, body: { id: 'third' }, operator: true },
  'PATCH /v1/tenants/{tenant}': { done: true, body: { limits: { burst: 100_000 } }, operator: true },
  'DELETE /v1/tenants/{tenant}': { done: true, operator: true },
  'POST /v1/tenants/{tenant}/keys': { done: false, body: { name: 'k', scopes: ['mcp'] } },
  'PATCH /v1/tenants/{tenant}/keys/{id}': { done: true, body: { tools: 'core,agent_llm' } },
  'POST /v1/tenants/{tenant}/keys/{id}/rotate': { done: false, body: {} },
  'DELETE /v1/tenants/{tenant}/keys/{id}': { done: true },
  'POST /v1/interactions/{id}/extend': { done: true, body: { ttlMs: 60_000 } },
  'POST /v1/interactions/{id}/answer': {
    done: true,
    body: { agentLLMResponse: successAnswer({ object: { value: 'x' } }), waitMs: 0 },
  },
  'POST /v1/interactions/{id}/cancel': { done: true, body: {} },
  'POST /v1/tasks/{id}/cancel': { done: true, body: {} },
  'POST /v1/tasks/{id}/retry': { done: false, body: {} },
  // It says of each task that it was not retried.
  'POST /v1/tasks/retry': { done: true, body: { filter: {} } },
  'POST /v1/prompts/{name}': { done: false, body: {} },
  'PUT /v1/workflows/{name}': {
    done: false,
    body: { name: 'plan', description: 'other', steps: [{ name: 'find', guidance: 'Look.' }] },
  },
  'PUT /v1/roles/{role}': { done: false, body: { routes: [{ kind: 'agent', modelId: 'any' }] } },
  'DELETE /v1/roles/{role}': { done: true },
  'PUT /v1/prices': { done: false, body: { currency: 'EUR', models: { any: { input: 1, output: 2 } } } },
  'DELETE /v1/workflows/{name}': { done: true },
  'PUT /v1/prompts/{name}': { done: false, body: { name: 'plan', text: 'Why?' } },
  'DELETE /v1/prompts/{name}': { done: true },
  'PUT /v1/agents/{id}': { done: false, body: { id: 'second', name: 'Second', instructions: 'Do.' } },
  'POST /v1/agents/{id}/disable': { done: true },
  'POST /v1/agents/{id}/enable': { done: true },
  'POST /v1/agents/{id}/primary': { done: true },
  'DELETE /v1/agents/{id}': { done: true },
  'DELETE /v1/conversations/{id}': { done: true },
  'DELETE /v1/projects/{id}': { done: true },
  'POST /v1/completions': {
    done: true,
    body: {
      ref: { type: 'ref/resource', uri: 'baton://agents/{id}' },
      argument: { name: 'id', value: '' },
    },
  },
};

let baton: InProcessDeployment;
let redis: Redis;
let key: string;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
  await redis.setrange('filler', FILLER_BYTES, 'x');
  key = await baton.createKey({ scopes: ['mcp', 'agent', 'admin'] });
});
afterAll(async () => {
  await redis?.del('filler');
  redis?.disconnect();
  await baton?.stop();
});

async function rpc(method: string, params: object): Promise<AnyJson> {
  const { body } = await postJsonRpc(baton.url(), key, { jsonrpc: '2.0', id: 1, method, params });
  return body.result ?? body;
}

/** The code of a tool's error; undefined where it did what it says. */
async function callTool(name: string, args: object): Promise<AnyJson> {
  return rpc('tools/call', { name, arguments: args });
}

async function request(method: string, path: string, body?: object, operator = false): Promise<Response> {
  return fetch(`${baton.url()}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${operator ? OPERATOR_TOKEN : key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function parkCall(): Promise<{ interactionId: string; taskId: string }> {
  return (await callTool('bench_echo', { text: 'x' })).structuredContent;
}

async function importProject(id: string): Promise<void> {
  const task = (n: number) => ({ id: n, title: `Task ${n}`, dependencies: n === 300 ? [20] : [] });
  const ids = [...Array.from({ length: 20 }, (_, at) => at + 1), 300, 395];
  const tasks = ids.map((n) => ({ ...task(n), subtasks: [{ id: 1, title: 'Part' }] }));
  const imported = await request('PUT', `/v1/projects/${id}`, {
    master: { tasks },
    later: { tasks: [task(1)] },
  });
  if (imported.status !== 200) throw new Error(await imported.text());
}

/** The task of a workflow that its client is to go on with. */
async function handOff(): Promise<string> {
  const steps = [{ name: 'find', tool: 'get_tasks', arguments: { projectRoot: 'unknown' } }];
  const put = await request('PUT', '/v1/workflows/plan', { name: 'plan', description: 'find', steps });
  if (put.status >= 300) throw new Error(await put.text());
  return (await rpc('prompts/get', { name: 'plan' }))._meta.task_id;
}

/** A primary, a specialist and a prompt. */
async function putDefinitions(): Promise<void> {
  const puts: [string, object][] = [
    ['agents/first', { id: 'first', name: 'First', instructions: 'Do.' }],
    ['agents/second', { id: 'second', name: '2', instructions: 'Do.' }],
    ['prompts/plan', { name: 'plan', text: 'How?' }],
  ];
  for (const [path, body] of puts) {
    const put = await request('PUT', `/v1/${path}`, body);
    if (put.status >= 300) throw new Error(await put.text());
  }
}

/** A conversation with the primary agent. */
async function talk(): Promise<string> {
  const { interactionId } = (await callTool('ask_assistant', { message: 'Hello' })).structuredContent;
  const agentLLMResponse = successAnswer({ text: 'Hello.' });
  const reply = await callTool('agent_llm', { interactionId, agentLLMResponse });
  return reply.structuredContent.outcome.result.conversationId;
}

/** A task whose request failed for good. */
async function fail(): Promise<string> {
  const { interactionId, taskId } = await parkCall();
  const agentLLMResponse = { status: 'error', errorDetails: { message: 'no such model' } };
  await callTool('agent_llm', { interactionId, agentLLMResponse });
  return taskId;
}

async function isRefused(): Promise<boolean> {
  return (await callTool('set_rules', { projectRoot: 'p', rules: ['x'] })).structuredContent === undefined;
}

test('Redis is nearly full: what brings something new in is refused, all else is done', {
  timeout: 60_000,
}, async () => {
  for (const id of ['p', 'q']) await importProject(id);
  const [answered, cancelled, ended, extended] = await Promise.all([1, 2, 3, 4].map(parkCall));
  const made = (await (
    await request('POST', '/v1/tenants/acme/keys', { name: 'k', scopes: ['mcp'] })
  ).json()) as AnyJson;
  const [handedOff, resumed] = [await handOff(), await handOff()];
  await putDefinitions();
  const [talked, others, failed] = [await talk(), await talk(), await fail()];
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', Math.round(used / TAKEN));
  await waitUntilOrThrow('the floor is noticed', 5_000, isRefused);

  const { tools } = await rpc('tools/list', {});
  const done: string[] = [];
  const wrong: string[] = [];
  const readOnly: string[] = [];
  for (const { name, annotations, inputSchema } of tools as AnyJson[]) {
    // A classifier changes nothing, but its request is a new task.
    const opensTask = name.startsWith('bench_') || name.endsWith('classify');
    if (annotations.readOnlyHint === true && !opensTask) readOnly.push(name);
    const known: Readonly<Record<string, object>> = {
      ...TOOL_ARGUMENTS,
      cancel_task: { taskId: cancelled?.taskId },
      complete_task: { taskId: handedOff, result: {} },
      resume_workflow: { taskId: resumed },
      retry_task: { taskId: failed },
      task_status: { taskId: answered?.taskId },
      pending_interactions: {},
      ask_assistant: { message: 'x' },
      call_prompt: { name: 'plan' },
      classify: { text: 'Buy now', classes: ['spam', 'ham'] },
      binary_classify: { text: 'Buy now', question: 'Is it spam?' },
      agent_second: { message: 'x' },
      list_conversations: {},
      get_conversation: { conversationId: talked },
      delete_conversation: { conversationId: talked },
      bench_echo: { text: 'x' },
      add_dependency: { id: '300', dependsOn: '19' },
      expand_all: { force: true },
      add_tag: { name: 'another' },
      copy_tag: { sourceName: 'later', targetName: 'another' },
      rename_tag: { oldName: 'later', newName: 'another' },
      delete_tag: { name: 'later', yes: true },
    };
    const own = known[name];
    if (own === undefined && !name.startsWith('bench_')) wrong.push(`${name} has no arguments here`);
    if (own === undefined) continue;
    const args =
      'projectRoot' in inputSchema.properties && name !== 'agent_llm' ? { projectRoot: 'p', ...own } : own;
    const reply = await callTool(name, name === 'delete_project' ? { projectRoot: 'q' } : args);
    const error = reply.structuredContent?.error ?? reply.error?.data ?? reply.error;
    if (reply.isError !== true && reply.error === undefined && error === undefined) done.push(name);
    else if (error?.code !== 'unavailable') wrong.push(`${name}: ${JSON.stringify(error ?? reply)}`);
  }
  expect(wrong).toEqual([]);
  expect(done.toSorted()).toEqual([...readOnly, ...DONE_TOOLS].toSorted());

  const document = (await (await request('GET', '/v1/openapi.json')).json()) as AnyJson;
  const writing = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get')
      .map((method) => `${method.toUpperCase()} ${path}`)
      // The tools were called above.
      .filter((route) => !route.includes('/tools/')),
  );
  const ofTenant = (route: string) => route.replace('/tenants/{tenant}/', '/');
  const routes = Object.keys(ROUTES);
  expect(new Set(writing.map((route) => (routes.includes(route) ? route : ofTenant(route))))).toEqual(
    new Set(routes),
  );
  await request('POST', '/v1/tenants', { id: 'another' }, true);
  await request('PATCH', '/v1/tenants/another', { suspended: true }, true);
  for (const [route, { done: isDone, body, operator }] of Object.entries(ROUTES)) {
    const [method = '', template = ''] = route.split(' ');
    const ids: Readonly<Record<string, string | undefined>> = {
      keys: made.id,
      interactions: route.endsWith('/answer')
        ? answered?.interactionId
        : route.endsWith('/extend')
          ? extended?.interactionId
          : ended?.interactionId,
      tasks: route.endsWith('/retry') ? failed : extended?.taskId,
      conversations: others,
      projects: method === 'PUT' ? 'new' : 'p',
      agents: method === 'DELETE' ? 'first' : 'second',
    };
    const path = template
      .replace('{tenant}', method === 'DELETE' && template.endsWith('{tenant}') ? 'another' : 'acme')
      .replace('{name}', 'plan')
      .replace('{role}', 'research')
      .replace(/(\w+)\/\{id\}/, (_, kind: string) => `${kind}/${ids[kind]}`);
    const { status } = await request(method, path, body, operator);
    if (isDone ? status >= 300 : status !== 503) wrong.push(`${route}: ${status}`);
  }
  expect(wrong).toEqual([]);
});
