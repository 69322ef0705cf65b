import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  connectMcpClient,
  postJsonRpc,
  successAnswer,
} from '../harness/mcp-client.ts';
import { startGatewayBeside } from '../processes/gateway-beside.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';
import { metaWith, requestOf2026, TASKS } from './client-of-2026.ts';
import { connectSamplingClient, sampled } from './sampling-client.ts';
import { openSession, TaskStreamClient } from './task-stream-client.ts';

/** Calls of 2025 that ask their client on their own stream, which any replica takes the answers of and goes on with. */
let baton: InProcessDeployment;
let headers: Record<string, string>;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  headers = await openSession(baton.url(0), baton.apiKey, { sampling: {} });
});
afterAll(async () => baton?.stop());

const DIALECT = { 'baton/dialect': 'sampling' };
const toolCall = (name: string, args: object, meta: object = DIALECT) => ({
  method: 'tools/call',
  params: { name, arguments: args, _meta: meta },
});
const echo = (text: string) => toolCall('bench_echo', { text });
const openCall = (request: AnyJson, at = 0) => TaskStreamClient.open(baton.url(at), headers, { request });
const resume = (lastEventId: string | undefined, at = 1, by = headers) =>
  TaskStreamClient.open(baton.url(at), by, { lastEventId: lastEventId ?? '' });
const respond = (id: unknown, body: object, { at = 1, by = headers } = {}) =>
  postJsonRpc(baton.url(at), undefined, { jsonrpc: '2.0', id, ...body }, by);
const answered = (value: string) => ({ result: sampled({ value }) });
/** Arguments of `agent_llm`. */
const given = (interactionId: string, value: string) => ({
  interactionId,
  agentLLMResponse: successAnswer({ object: { value } }),
});
const ASK = 'sampling/createMessage';
const CANCELLED = 'notifications/cancelled';
const lastIdOf = ({ events }: TaskStreamClient) => events.findLast(({ id }) => id !== undefined)?.id;

/** The official client of the first generation, whose model answers each request. */
async function connectSampling(url: string, model: (params: AnyJson) => AnyJson) {
  const client = new Client({ name: 'sampling', version: '1' }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => model(params));
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${baton.apiKey}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

test('the official client does whole operations behind a proxy without affinity', async () => {
  const proxy = await RoundRobinProxy.start(() => [baton.url(0), baton.url(1)]);
  const prompts: string[] = [];
  const client = await connectSampling(proxy.url, ({ messages, systemPrompt }) => {
    prompts.push(`${systemPrompt} ${messages[0].content.text}`);
    return sampled({
      value: 'from the client',
      title: 'A well',
      description: 'Dig a well.',
      details: 'Deep.',
      testStrategy: 'Look.',
    });
  });
  const call = (name: string, args: Record<string, unknown>): Promise<AnyJson> =>
    client.callTool({ name, arguments: args, _meta: DIALECT });
  const done = await call('add_task', { prompt: 'Dig a well' });
  expect(done.structuredContent).toMatchObject({ status: 'completed', operation: 'add_task' });
  expect(done.content.at(-1)).toMatchObject({ type: 'resource_link' });
  expect(prompts[0]).toContain('Dig a well');
  const fanned = await call('bench_fan', { n: 12 });
  expect(fanned.structuredContent.values).toEqual(Array.from({ length: 12 }, () => 'from the client'));
  expect(prompts.length).toBe(13);
  await client.close();
  await proxy.stop();
});

test('the official client of the second generation does so in its mode for 2025', async () => {
  const proxy = await RoundRobinProxy.start(() => [baton.url(0), baton.url(1)]);
  const client = await connectSamplingClient(proxy.url, baton.apiKey, 'legacy', () =>
    sampled({ value: 'v2' }),
  );
  const done: AnyJson = await client.callTool({ name: 'bench_fan', arguments: { n: 2 }, _meta: DIALECT });
  expect(done.structuredContent.values).toEqual(['v2', 'v2']);
  await client.close();
  await proxy.stop();
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  "the official client's call whose replica ends by %s goes on at another one",
  async (signal) => {
    const doomed = await startGatewayBeside(baton);
    const targets = [doomed.url];
    const proxy = await RoundRobinProxy.start(() => targets);
    let asked = 0;
    const client = await connectSampling(proxy.url, async () => {
      if (++asked === 1) {
        targets[0] = baton.url(1);
        await doomed.stop(signal);
      }
      return sampled({ value: `answer ${asked}` });
    });
    const done: AnyJson = await client.callTool({ name: 'bench_fan', arguments: { n: 3 }, _meta: DIALECT });
    expect(done.structuredContent.values.length).toBe(3);
    await client.close();
    await proxy.stop();
  },
  60_000,
);

describe('a call', () => {
  test('asks on its own stream under the id of the interaction, takes the response at another replica, and ends with its result', async () => {
    const stream = await openCall(echo('hello'));
    const asked = await stream.message(ASK);
    expect(stream.events[0]).toEqual({ id: expect.any(String), message: undefined });
    expect(JSON.stringify(asked.params)).toContain('hello');
    expect((await respond(asked.id, answered('world'))).status).toBe(202);
    const { id, result } = await stream.message('');
    expect(id).toBe(1);
    expect(result.structuredContent).toMatchObject({ status: 'completed', value: 'world' });
    await stream.ended;
    expect(stream.messages.map(({ method }) => method)).toEqual([ASK, undefined]);
  });

  test('whose own id is too long for the ids of events is answered on a stream without them', async () => {
    const id = 'x'.repeat(5_000);
    const stream = await openCall({ ...echo('long'), id });
    await respond((await stream.message(ASK)).id, answered('short'));
    expect((await stream.message('')).id).toBe(id);
    expect(stream.events.map((event) => event.id)).toEqual([undefined, undefined]);
  });

  test('takes back what was answered elsewhere, and goes on with that answer', async () => {
    const stream = await openCall(echo('elsewhere'));
    const { id } = await stream.message(ASK);
    const agent = await connectMcpClient(baton.url(1), baton.apiKey);
    await callTool(agent, 'agent_llm', given(id, 'agent'));
    expect((await stream.message('')).result.structuredContent).toMatchObject({ value: 'agent' });
    expect((await stream.message(CANCELLED)).params).toEqual({
      requestId: id,
      reason: 'It was answered elsewhere.',
    });
    await agent.close();
  });

  test('is answered with the directive where its request has functions that its client does not take', async () => {
    const details = {
      originalCommand: 'test',
      serviceType: 'generateText',
      requestParameters: {
        messages: [{ role: 'user', content: 'What is the weather?' }],
        tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
      },
    };
    const stream = await openCall(toolCall('agent_llm', { delegatedCallDetails: details }));
    const { result } = await stream.message('');
    expect(result.structuredContent.status).toBe('pending_agent_llm_action');
    expect(stream.messages.length).toBe(1);
  });

  test('whose client refuses its request fails with what that said', async () => {
    const stream = await openCall(echo('refused'));
    const { id } = await stream.message(ASK);
    await respond(id, { error: { code: -1, message: 'The user said no.' } });
    const { result } = await stream.message('');
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.structuredContent)).toContain('The user said no.');
  });

  test.each([
    ['a dialect that there is not', { sampling: {} }, 'telepathy', 'must be one of "tool", "sampling"'],
    ['a dialect of 2026-07-28', { sampling: {} }, 'task', 'must be one of "tool", "sampling"'],
    ['sampling without the capability', {}, 'sampling', 'needs a client that declared {"sampling":{}}'],
  ])('that forces %s is refused', async (_, capabilities, dialect, told) => {
    const by = await openSession(baton.url(0), baton.apiKey, capabilities);
    const request = { id: 1, ...toolCall('bench_echo', { text: 'x' }, { 'baton/dialect': dialect }) };
    const { body } = await postJsonRpc(baton.url(1), undefined, { jsonrpc: '2.0', ...request }, by);
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining(told) });
  });

  test('is answered with the directive where nothing asks for sampling, and where the reply cannot be a stream', async () => {
    const plain = toolCall('bench_echo', { text: 'plain' }, {});
    const post = (request: AnyJson, more: Record<string, string>) =>
      postJsonRpc(baton.url(0), undefined, { jsonrpc: '2.0', id: 1, ...request }, { ...headers, ...more });
    for (const reply of [
      await post(plain, { accept: 'application/json, text/event-stream' }),
      await post(echo('no stream'), { accept: 'application/json' }),
    ])
      expect(reply.body.result.structuredContent.status).toBe('pending_agent_llm_action');
  });
});

describe('a lost stream', () => {
  test('goes on at another replica behind the last event, asks nothing twice, and ends with the result', async () => {
    const stream = await openCall(toolCall('bench_fan', { n: 2 }));
    const first = await stream.message(ASK);
    const second = await stream.message(ASK, 1);
    const between = stream.events.find(({ message }) => message?.id === first.id)?.id;
    await stream.lose();
    const behindAll = await resume(lastIdOf(stream));
    await respond(first.id, answered('one'), { at: 0 });
    const behindFirst = await resume(between, 0);
    expect((await behindFirst.message(ASK)).id).toBe(second.id);
    await respond(second.id, answered('two'));
    for (const resumed of [behindAll, behindFirst]) {
      expect((await resumed.message('')).result.structuredContent.values).toEqual(['one', 'two']);
      await resumed.ended;
    }
    expect(behindAll.messages.map(({ method }) => method)).toEqual([undefined]);
    // A result that was lost on its way is there for who asks again.
    const again = await resume(between);
    expect((await again.message('')).id).toBe(1);
  });

  test('takes back what was answered elsewhere meanwhile', async () => {
    const stream = await openCall(toolCall('bench_fan', { n: 2 }));
    const { id } = await stream.message(ASK);
    await stream.message(ASK, 1);
    await stream.lose();
    const agent = await connectMcpClient(baton.url(1), baton.apiKey);
    await callTool(agent, 'agent_llm', { ...given(id, 'agent'), waitMs: 0 });
    const resumed = await resume(lastIdOf(stream));
    expect((await resumed.message(CANCELLED)).params.requestId).toBe(id);
    await resumed.lose();
    await agent.close();
  });

  test.each(['changed', 'of another principal', 'of another session', 'too long', 'no id'])(
    'does not go on by an event id that is %s',
    async (kind) => {
      const stream = await openCall(echo(`ids ${kind}`));
      await stream.message(ASK);
      await stream.lose();
      const id = lastIdOf(stream) ?? '';
      const other = await openSession(baton.url(0), await baton.createKey({}), { sampling: {} });
      const own = await openSession(baton.url(0), baton.apiKey, { sampling: {} });
      const kinds: Record<string, readonly [string, Record<string, string>]> = {
        changed: [`${id.slice(0, -2)}${id.endsWith('AA') ? 'BB' : 'AA'}`, headers],
        'of another principal': [id, other],
        'of another session': [id, own],
        'too long': [id + 'A'.repeat(6_000), headers],
        'no id': ['17', headers],
      };
      const [lastEventId = '', by = headers] = kinds[kind] ?? [];
      const { response } = await resume(lastEventId, 1, by);
      expect(response.status).toBe(400);
    },
  );
});

describe('a response', () => {
  test('counts once: the same again changes nothing, another is refused, and so are those to nothing', async () => {
    const stream = await openCall(toolCall('bench_fan', { n: 2 }));
    const { id } = await stream.message(ASK);
    const other = await openSession(baton.url(0), await baton.createKey({}), { sampling: {} });
    const refusals = [
      await respond(id, answered('not yours'), { by: other }),
      await respond('x', answered('never asked')),
      await respond(17, answered('never asked')),
      await respond(`${id}7`, answered('never asked')),
      await respond(id, { result: { content: 'no result of sampling' } }),
    ];
    expect(refusals[2]?.body.error.data.interactionId).toBe('17');
    expect(refusals.map(({ status, body }) => [status, body.id, body.error.data.code])).toEqual([
      [400, null, 'interaction_not_found'],
      [400, null, 'interaction_not_found'],
      [400, null, 'interaction_not_found'],
      [400, null, 'interaction_not_found'],
      [400, null, 'invalid_arguments'],
    ]);
    expect((await respond(id, answered('first'))).status).toBe(202);
    expect((await respond(id, answered('first'), { at: 0 })).status).toBe(202);
    const changed = await respond(id, answered('second'));
    expect([changed.status, changed.body.error.data.code]).toEqual([400, 'interaction_already_answered']);
    await respond((await stream.message(ASK, 1)).id, answered('last'));
    const { result } = await stream.message('');
    expect(result.structuredContent.values.toSorted()).toEqual(['first', 'last']);
  });
});

describe('an interaction that the dialect of each generation has shown', () => {
  /** A call that asks on its stream, and a client of 2026-07-28 that repeats it. */
  const openBoth = async (text: string, capabilities: object) => {
    const idempotent = { 'baton/idempotencyKey': text };
    const stream = await openCall(toolCall('bench_echo', { text }, { ...DIALECT, ...idempotent }));
    const { id } = await stream.message(ASK);
    const meta = metaWith({ sampling: {}, ...capabilities }, idempotent);
    const post = async (method: string, params: AnyJson) =>
      (await requestOf2026(baton.url(1), baton.apiKey, method, params, { meta })).body;
    const repeat = (params: AnyJson = {}) =>
      post('tools/call', { name: 'bench_echo', arguments: { text }, ...params });
    const { result: shown } = await repeat();
    return { stream, id, shown, post, repeat };
  };
  const responsesTo = (id: string, value: string) => ({ inputResponses: { [id]: sampled({ value }) } });

  test('takes the response that was an input response before as the same answer, and another not', async () => {
    const { stream, id, shown, repeat } = await openBoth('input first', {});
    const { requestState } = shown;
    const { result } = await repeat({ requestState, ...responsesTo(id, 'one') });
    expect(result.structuredContent).toMatchObject({ status: 'completed', value: 'one' });
    expect((await respond(id, answered('one'))).status).toBe(202);
    const changed = await respond(id, answered('two'));
    expect([changed.status, changed.body.error.data.code]).toEqual([400, 'interaction_already_answered']);
    expect((await stream.message(CANCELLED)).params.requestId).toBe(id);
  });

  test('takes the input response that was a response before as the same answer, and another not', async () => {
    const { stream, id, shown, repeat } = await openBoth('response first', {});
    const { requestState } = shown;
    expect((await respond(id, answered('one'))).status).toBe(202);
    const { result } = await repeat({ requestState, ...responsesTo(id, 'one') });
    expect(result.structuredContent).toMatchObject({ status: 'completed', value: 'one' });
    const { error } = await repeat({ requestState, ...responsesTo(id, 'two') });
    expect(error.data.code).toBe('interaction_already_answered');
    await stream.ended;
    expect(stream.messages.map(({ method }) => method)).not.toContain(CANCELLED);
  });

  test('takes the response that tasks/update brought before as the same answer, and another not', async () => {
    const { id, shown, post } = await openBoth('update first', { extensions: { [TASKS]: {} } });
    await post('tasks/update', { taskId: shown.taskId, ...responsesTo(id, 'one') });
    expect((await respond(id, answered('one'))).status).toBe(202);
    const changed = await respond(id, answered('two'));
    expect([changed.status, changed.body.error.data.code]).toEqual([400, 'interaction_already_answered']);
  });
});

describe('tasks/result', () => {
  const startTask = async () => {
    const request = toolCall('bench_echo', { text: 'task' }, {});
    const body = { jsonrpc: '2.0', id: 1, ...request, params: { ...request.params, task: {} } };
    return (await postJsonRpc(baton.url(0), undefined, body, headers)).body.result.task.taskId as string;
  };
  const resultOf = (taskId: string, meta: object = {}) => ({
    method: 'tasks/result',
    params: { taskId, _meta: meta },
  });

  test('asks a client that takes it what its task asks, names the task, and ends with the result', async () => {
    const taskId = await startTask();
    const stream = await openCall(resultOf(taskId), 1);
    const asked = await stream.message(ASK);
    expect(asked.params._meta).toEqual({ 'io.modelcontextprotocol/related-task': { taskId } });
    await respond(asked.id, answered('of a task'), { at: 0 });
    const { result } = await stream.message('');
    expect(CallToolResultSchema.parse(result).structuredContent).toMatchObject({ value: 'of a task' });
  });

  test('asks nothing where the directive is asked for', async () => {
    const taskId = await startTask();
    const stream = await openCall(resultOf(taskId, { 'baton/dialect': 'tool' }), 1);
    const agent = await connectMcpClient(baton.url(0), baton.apiKey);
    const { pending } = await callTool(agent, 'task_status', { taskId, waitMs: 5_000 });
    await callTool(agent, 'agent_llm', given(pending.interactionId, 'told'));
    expect((await stream.message('')).result.structuredContent).toMatchObject({ value: 'told' });
    expect(stream.messages.length).toBe(1);
    await agent.close();
  });
});
