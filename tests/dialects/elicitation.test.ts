import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, postJsonRpc } from '../harness/mcp-client.ts';
import { metaWith, requestOf2026, TASKS } from './client-of-2026.ts';
import { sampled } from './sampling-client.ts';
import { openSession, TaskStreamClient } from './task-stream-client.ts';

/** Questions to a person: which client is asked, and what the person may do. The matrix has who answers whose. */
let baton: InProcessDeployment;
let agent: Awaited<ReturnType<typeof connectMcpClient>>;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  agent = await connectMcpClient(baton.url(1), baton.apiKey);
});
afterAll(async () => {
  await agent?.close();
  await baton?.stop();
});

const CONFIRM = { name: 'bench_confirm', arguments: { question: 'Shall it go on?' } };
const ECHO = { name: 'bench_echo', arguments: { text: 'Say something.' } };
const ELICIT = 'elicitation/create';

async function call2026(capabilities: object, call: AnyJson, meta: object = {}): Promise<AnyJson> {
  const more = { meta: metaWith(capabilities, meta) };
  const { body } = await requestOf2026(baton.url(0), baton.apiKey, 'tools/call', call, more);
  return body.error ?? body.result;
}

async function openCall(capabilities: object, call: AnyJson) {
  const headers = await openSession(baton.url(0), baton.apiKey, capabilities);
  const params = { ...call, _meta: { 'baton/dialect': 'sampling' } };
  const stream = await TaskStreamClient.open(baton.url(0), headers, {
    request: { method: 'tools/call', params },
  });
  const respond = (id: string, result: AnyJson) =>
    postJsonRpc(baton.url(1), undefined, { jsonrpc: '2.0', id, result }, headers);
  return { stream, respond };
}

/** Asks in a call of 2026-07-28, gives a reply, and has what the call comes to. */
async function reply(response: AnyJson): Promise<AnyJson> {
  const first = await call2026({ elicitation: {} }, CONFIRM);
  const [key = ''] = Object.keys(first.inputRequests);
  const { requestState } = first;
  return call2026({ elicitation: {} }, { ...CONFIRM, requestState, inputResponses: { [key]: response } });
}

test.each([
  ['that takes forms', { elicitation: {} }, CONFIRM, ELICIT],
  ['that names forms', { elicitation: { form: {}, url: {} } }, CONFIRM, ELICIT],
  ['that takes addresses alone', { elicitation: { url: {} } }, CONFIRM, undefined],
  ['that takes sampling alone', { sampling: {} }, CONFIRM, undefined],
  ['that takes forms alone, for its model', { elicitation: {} }, ECHO, undefined],
  ['that takes both, for its model', { elicitation: {}, sampling: {} }, ECHO, 'sampling/createMessage'],
])('a client %s is asked in either generation, or shown the directive', async (_, takes, call, method) => {
  for (const capabilities of [takes, { ...takes, extensions: { [TASKS]: {} } }]) {
    const { resultType, taskId, inputRequests, structuredContent } = await call2026(capabilities, call);
    if (method === undefined) expect(structuredContent.status).toBe('pending_agent_llm_action');
    else if (resultType === 'task') {
      const meta = { meta: metaWith(capabilities) };
      const { body } = await requestOf2026(baton.url(1), baton.apiKey, 'tasks/get', { taskId }, meta);
      expect(Object.values<AnyJson>(body.result.inputRequests)[0].method).toBe(method);
    } else expect(Object.values<AnyJson>(inputRequests)[0].method).toBe(method);
  }
  if (!('sampling' in takes) && call === ECHO) return;
  const { stream } = await openCall(takes, call);
  const { result } = await stream.message(method ?? '');
  if (method === undefined) expect(result.structuredContent.status).toBe('pending_agent_llm_action');
  await stream.lose();
});

test('the question, and the form that is its reply', async () => {
  const { inputRequests } = await call2026({ elicitation: {} }, CONFIRM);
  expect(Object.values<AnyJson>(inputRequests)[0].params).toEqual({
    message: 'Shall it go on?',
    requestedSchema: {
      type: 'object',
      properties: {
        ok: { type: 'boolean', title: 'Yes' },
        reason: { type: 'string', title: 'Why', maxLength: 200 },
      },
      required: ['ok'],
    },
  });
});

describe('a person', () => {
  test.each(['decline', 'cancel'])('may %s: the work is told so', async (action) => {
    expect((await reply({ action })).structuredContent).toMatchObject({ status: 'completed', action });
    const { stream, respond } = await openCall({ elicitation: {} }, CONFIRM);
    await respond((await stream.message(ELICIT)).id, { action });
    expect((await stream.message('')).result.structuredContent).toMatchObject({ action });
    const { interactionId } = await callTool(agent, CONFIRM.name, CONFIRM.arguments);
    const agentLLMResponse = { status: 'error', errorDetails: { type: action, message: 'They say no.' } };
    const { outcome } = await callTool(agent, 'agent_llm', { interactionId, agentLLMResponse });
    expect(outcome.result).toMatchObject({ action });
  });

  test.each([
    ['lacks what is required', { reason: 'because' }],
    ['is of another type', { ok: 'perhaps' }],
  ])('whose reply %s is asked again with what was wrong', async (_, content) => {
    const again = await reply({ action: 'accept', content });
    const [{ method, params }] = Object.values<AnyJson>(again.inputRequests);
    expect(method).toBe(ELICIT);
    expect(params.message).toMatch(/Shall it go on\?[^]*ok/);
  });

  test('is asked by no agent that claims without naming the role', async () => {
    const key = await baton.createKey({ scopes: ['agent', 'mcp'], principal: 'backlog' });
    const backlog = await connectMcpClient(baton.url(0), key);
    const own = await callTool(backlog, CONFIRM.name, CONFIRM.arguments);
    const claim = async (more: object): Promise<string[]> => {
      const args = { claim: { max: 50, leaseMs: 5_000 }, ...more };
      const { interactions } = await callTool(backlog, 'pending_interactions', args);
      return interactions.map(({ interactionId }: AnyJson) => interactionId);
    };
    expect(await claim({ principal: 'backlog' })).toEqual([]);
    expect(await claim({ principal: 'backlog', role: 'person' })).toEqual([own.interactionId]);
    await backlog.close();
  });
});

describe('a result of the other method', () => {
  test.each([
    ['a number', 7],
    ["a model's", sampled({ ok: true })],
    ['an action that there is not', { action: 'perhaps' }],
    ['content that is no object', { action: 'accept', content: 'yes' }],
  ])('is refused with its key where a person was asked: %s', async (_, response) => {
    expect(await reply(response)).toMatchObject({ code: -32602, data: { code: 'invalid_arguments' } });
  });

  test('as a response on a stream is asked for again', async () => {
    const { stream, respond } = await openCall({ sampling: {}, elicitation: {} }, ECHO);
    const { id } = await stream.message('sampling/createMessage');
    expect((await respond(id, { action: 'accept', content: {} })).status).toBe(202);
    const { id: second } = await stream.message('sampling/createMessage', 1);
    await respond(second, sampled({ value: 'v' }));
    expect((await stream.message('')).result.structuredContent).toMatchObject({ value: 'v' });
  });
});
