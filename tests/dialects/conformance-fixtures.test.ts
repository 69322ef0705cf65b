import { conformanceOperations } from '@baton/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  connectMcpClient,
  postJsonRpc,
  successAnswer,
} from '../harness/mcp-client.ts';
import { metaWith, requestOf2026, TASKS } from './client-of-2026.ts';
import { sampled } from './sampling-client.ts';
import { openSession, TaskStreamClient } from './task-stream-client.ts';

/**
 * What the tools of the official suite do beside what it checks: keys of requests, answers given ahead, roots, needs of a tool, and a task behind
 * an input_required.
 */
let baton: InProcessDeployment;
let agent: Awaited<ReturnType<typeof connectMcpClient>>;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 0, workers: 0 });
  await baton.addGateway(conformanceOperations);
  await baton.addGateway(conformanceOperations);
  await baton.addWorker(conformanceOperations);
  agent = await connectMcpClient(baton.url(1), baton.apiKey);
});
afterAll(async () => {
  await agent?.close();
  await baton?.stop();
});

const ALL = { sampling: {}, elicitation: {}, roots: {} };
const EXTENSION = { extensions: { [TASKS]: {} } };
const ROOTS = [{ uri: 'file:///home/ann', name: 'home' }];
const name = (value: string) => ({ action: 'accept', content: { name: value } });

let turn = 0;
async function send(method: string, params: AnyJson, capabilities: object): Promise<AnyJson> {
  const meta = metaWith(capabilities);
  const { body } = await requestOf2026(baton.url(turn++ % 2), baton.apiKey, method, params, { meta });
  return body.error ?? body.result;
}
const call = (tool: string, more: object = {}, capabilities: object = ALL) =>
  send('tools/call', { name: tool, arguments: {}, ...more }, capabilities);
const textOf = ({ content }: AnyJson): string => content[0].text;

describe('a request with a key of its own', () => {
  const TOOL = 'test_input_required_result_multiple_inputs';

  test('is asked and answered under it, beside others under their ids, at any replica', async () => {
    const first = await call(TOOL);
    const [id = ''] = Object.keys(first.inputRequests).filter((key) => key.length > 20);
    expect(first.inputRequests).toEqual({
      user_name: {
        method: 'elicitation/create',
        params: expect.objectContaining({ message: 'What is your name?' }),
      },
      client_roots: { method: 'roots/list', params: {} },
      [id]: { method: 'sampling/createMessage', params: expect.anything() },
    });
    const { requestState } = first;
    const second = await call(TOOL, { requestState, inputResponses: { user_name: name('Ann') } });
    expect(Object.keys(second.inputRequests).toSorted()).toEqual([id, 'client_roots'].toSorted());
    const inputResponses = { client_roots: { roots: ROOTS }, [id]: sampled('Hi') };
    const done = await call(TOOL, { requestState: second.requestState, inputResponses });
    expect(textOf(done)).toBe('Ann, Hi, 1 roots');
  });

  test.each([
    ['user_name', { roots: ROOTS }],
    ['user_name', 12_345],
    ['client_roots', name('Ann')],
    ['client_roots', { roots: 'none' }],
  ])('is refused with its key what is no result of its method: %s %j', async (key, response) => {
    const { requestState } = await call(TOOL);
    const error = await call(TOOL, { requestState, inputResponses: { [key]: response } });
    expect(error).toMatchObject({ code: -32602, data: { field: `inputResponses.${key}` } });
  });

  test('is answered ahead by a call that brings its response, and by no other key', async () => {
    const tool = 'test_input_required_result_elicitation';
    const others = { unknown: { action: 'accept', content: { x: 1 } } };
    const done = await call(tool, { inputResponses: { user_name: name('Ann'), ...others } });
    expect([done.resultType, textOf(done)]).toEqual(['complete', 'Hello, Ann!']);
    for (const inputResponses of [others, {}, null, 'x'])
      expect(Object.keys((await call(tool, { inputResponses })).inputRequests)).toEqual(['user_name']);
    const error = await call(tool, { inputResponses: { user_name: 7 } });
    expect(error).toMatchObject({ code: -32602, data: { field: 'inputResponses.user_name' } });
  });

  test('is one of what a task asks, and of what tasks/update takes', async () => {
    const capabilities = { ...ALL, ...EXTENSION };
    const { taskId } = await call('multi_input', {}, capabilities);
    const asked = async () =>
      Object.keys((await send('tasks/get', { taskId }, capabilities)).inputRequests ?? {}).toSorted();
    expect(await asked()).toEqual(['confirm', 'name']);
    const update = (inputResponses: object) => send('tasks/update', { taskId, inputResponses }, capabilities);
    expect(await update({ name: { roots: [] }, other: 7 })).toMatchObject({ code: -32602 });
    await update({ name: name('Ann') });
    expect(await asked()).toEqual(['confirm']);
    await update({ confirm: { action: 'decline' } });
    await expect
      .poll(async () => (await send('tasks/get', { taskId }, capabilities)).result?.structuredContent.text)
      .toBe('action=accept, content={"name":"Ann"} action=decline, content={}');
  });
});

describe('roots', () => {
  const TOOL = 'test_input_required_result_list_roots';

  test('are listed by a client of 2025 on its stream', async () => {
    const headers = await openSession(baton.url(0), baton.apiKey, { roots: {} });
    const params = { name: TOOL, arguments: {}, _meta: { 'baton/dialect': 'sampling' } };
    const stream = await TaskStreamClient.open(baton.url(0), headers, {
      request: { method: 'tools/call', params },
    });
    const { id } = await stream.message('roots/list');
    await postJsonRpc(baton.url(1), undefined, { jsonrpc: '2.0', id, result: { roots: ROOTS } }, headers);
    expect(textOf((await stream.message('')).result)).toBe('Roots: file:///home/ann');
  });

  test('are asked of the person by the directive where the client lists none', async () => {
    const shown = await call(TOOL, {}, { elicitation: {}, sampling: {} });
    const { interactionId, role, llmRequestForAgent } = shown.structuredContent;
    expect([role, llmRequestForAgent.schema.required]).toEqual(['person', ['roots']]);
    const wrong = successAnswer({ object: { roots: [{ uri: 'http://x' }] } });
    const { outcome } = await callTool(agent, 'agent_llm', { interactionId, agentLLMResponse: wrong });
    const agentLLMResponse = successAnswer({ object: { roots: ROOTS } });
    const again = { interactionId: outcome.pending.interactionId, agentLLMResponse };
    expect((await callTool(agent, 'agent_llm', again)).outcome.result.text).toBe('Roots: file:///home/ann');
  });
});

test.each([
  ['failing_job', { sampling: {} }, EXTENSION],
  ['test_tool_with_task', { elicitation: {} }, EXTENSION],
  ['test_missing_capability', { elicitation: {} }, { sampling: {} }],
])('%s is refused to a client that has not declared what it needs', async (tool, capabilities, needed) => {
  const error = await call(tool, {}, capabilities);
  expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: needed } });
});

test('a client that knows tasks alone is given one for what goes on by itself, and the directive for what asks', async () => {
  const begun = await call('slow_compute', { arguments: { seconds: 60 } }, EXTENSION);
  expect([begun.resultType, begun.status]).toEqual(['task', 'working']);
  expect(await send('tasks/cancel', { taskId: begun.taskId }, EXTENSION)).toMatchObject({
    resultType: 'complete',
  });
  const asked = await call('test_input_required_result_elicitation', {}, EXTENSION);
  expect(asked.structuredContent.status).toBe('pending_agent_llm_action');
});

test('a tool that asks within its call becomes a task behind that, whose result has what was answered', async () => {
  const capabilities = { elicitation: {}, ...EXTENSION };
  const { requestState, ...first } = await call('test_tool_with_task', {}, capabilities);
  expect([first.resultType, Object.keys(first.inputRequests)]).toEqual(['input_required', ['user_name']]);
  const answered = { requestState, inputResponses: { user_name: name('Ann') } };
  const { taskId, ...task } = await call('test_tool_with_task', answered, capabilities);
  expect([task.resultType, 'requestState' in task]).toEqual(['task', false]);
  await expect
    .poll(async () => (await send('tasks/get', { taskId }, capabilities)).status, { timeout: 10_000 })
    .toBe('completed');
  expect(textOf((await send('tasks/get', { taskId }, capabilities)).result)).toBe('Hello, Ann!');
});
