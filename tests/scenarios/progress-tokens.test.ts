import { OperatorStore } from '@baton/store/operator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { parseSseMessages } from '../harness/sse.ts';

/** A call that asks for progress is answered as one that does not, and told of its progress while it waits. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
});
afterAll(() => baton?.stop());

const BOTH = 'application/json, text/event-stream';

interface Sent {
  readonly name: string;
  readonly args?: object;
  readonly key?: string | undefined;
  readonly task?: object;
}

const bodyOf = ({ name, args = {}, task }: Sent, progressToken?: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name,
    arguments: args,
    ...(task && { task }),
    ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
  },
});

const send = (sent: Sent, progressToken?: unknown, headers: object = {}) =>
  postJsonRpc(baton.url(), sent.key ?? baton.apiKey, bodyOf(sent, progressToken), {
    accept: BOTH,
    'mcp-protocol-version': '2025-11-25',
    ...headers,
  });

/** What a client can tell of a refusal, but for how long it is to wait. */
async function outcome(sent: Sent, progressToken?: unknown) {
  const { status, headers, body } = await send(sent, progressToken);
  return {
    status,
    type: headers.get('content-type'),
    challenge: headers.get('www-authenticate'),
    mayRepeat: headers.get('retry-after') !== null,
    replica: headers.get('x-baton-replica'),
    code: body?.error?.data?.code ?? body?.error?.code,
    result: body?.result !== undefined,
  };
}

describe('a refused call with a progressToken has the status, challenge and Retry-After of one without', () => {
  const echo = { name: 'bench_echo', args: { text: 'x' } };

  test.each([7, 'token', 0, ''])(
    'token %j: a scope that the tool needs and the key has not',
    async (token) => {
      const key = await baton.createKey({ scopes: ['agent'] });
      const plain = await outcome({ ...echo, key });
      expect(plain).toMatchObject({ status: 403, code: 'insufficient_scope', replica: 'gateway-0' });
      expect(plain.challenge).toContain('scope="mcp"');
      expect(await outcome({ ...echo, key }, token)).toEqual(plain);
    },
  );

  test('requests that wait already, also for a call as a task', async () => {
    const key = await baton.addTenant('full', { pendingInteractions: 1 });
    expect((await send({ ...echo, key })).status).toBe(200);
    for (const task of [undefined, {}]) {
      const sent = { ...echo, key, ...(task && { task }) };
      const plain = await outcome(sent);
      expect(await outcome(sent, 't')).toEqual(plain);
      if (task === undefined)
        expect(plain).toMatchObject({ status: 429, code: 'limit_pending', mayRepeat: true });
    }
  });

  test('a rate that is used up', async () => {
    const key = await baton.addTenant('slow', { requestsPerSecond: 1, burst: 1 });
    let plain = await outcome({ name: 'get_tasks', key });
    while (plain.status === 200) plain = await outcome({ name: 'get_tasks', key });
    expect(plain).toMatchObject({ status: 429, code: 'limit_rate', mayRepeat: true });
    expect(await outcome({ name: 'get_tasks', key }, 't')).toEqual(plain);
  });

  test('a suspended tenant, and a key that nobody has', async () => {
    const key = await baton.addTenant('gone');
    await new OperatorStore(baton.store).update('gone', { suspended: true });
    for (const sent of [
      { ...echo, key },
      { ...echo, key: 'bt_none' },
    ]) {
      const plain = await outcome(sent);
      expect(plain.status).toBeGreaterThanOrEqual(401);
      expect(await outcome(sent, 't')).toEqual(plain);
    }
  });

  test('an argument that does not fit, an unknown tool and a token that is none are answered alike too', async () => {
    for (const sent of [{ name: 'get_tasks', args: { tag: 7 } }, { name: 'nothing' }])
      expect(await outcome(sent, 't')).toEqual(await outcome(sent));
    for (const token of [1.5, {}, [], true]) {
      const { status, body } = await send({ name: 'get_tasks' }, token);
      expect([token, status, body.error.code]).toEqual([token, 400, -32602]);
    }
  });
});

test('a call that is answered at once has JSON for a reply, with a progressToken too', async () => {
  const { headers, body } = await send({ name: 'get_tasks', args: { projectRoot: 'none' } }, 't');
  expect(headers.get('content-type')).toContain('application/json');
  expect(body.id).toBe(1);
});

test.each([
  ['task_status', BOTH],
  ['tasks/result', BOTH],
  ['task_status', '*/*'],
])(
  'a waiting %s with "Accept: %s" hears of a streamed text as it comes, on the stream of its own reply',
  async (method, accept) => {
    const requestParameters = { messages: [{ role: 'user', content: 'A story' }] };
    const details = { originalCommand: 'story', serviceType: 'streamText', requestParameters };
    const { body } = await send({ name: 'agent_llm', args: { delegatedCallDetails: details } });
    const { interactionId, taskId } = body.result.structuredContent;
    const answer = (agentLLMResponse: object) =>
      send({ name: 'agent_llm', args: { interactionId, agentLLMResponse } });

    const params =
      method === 'tasks/result'
        ? { taskId, _meta: { progressToken: 'mine' } }
        : { name: method, arguments: { taskId, waitMs: 20_000 }, _meta: { progressToken: 'mine' } };
    await answer({ status: 'streaming', sequence: 0, delta: 'Once ' });
    const response = await fetch(`${baton.url()}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        authorization: `Bearer ${baton.apiKey}`,
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 9,
        method: method === 'tasks/result' ? method : 'tools/call',
        params,
      }),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(response.headers.get('x-baton-replica')).toBe('gateway-0');
    await answer({ status: 'success', data: { text: 'Once ' } });
    const messages = parseSseMessages(await response.text()) as AnyJson[];
    const told = messages.filter((message) => message.method === 'notifications/progress');
    expect(told[0].params).toMatchObject({ progressToken: 'mine', progress: 1, message: 'Once ' });
    expect(messages.at(-1)).toMatchObject({ id: 9, result: { structuredContent: expect.anything() } });
    expect(messages.filter(({ id }) => id !== undefined)).toHaveLength(1);
  },
);

test('while nothing comes, whoever waits is told that it waits, by a progress that grows and has no text', async () => {
  const { body } = await send({ name: 'bench_echo', args: { text: 'x' } });
  const { taskId } = body.result.structuredContent;
  const waiting = await fetch(`${baton.url()}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: BOTH,
      authorization: `Bearer ${baton.apiKey}`,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tasks/result',
      params: { taskId, _meta: { progressToken: 3 } },
    }),
  });
  const told: AnyJson[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of waiting.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 1);
    told.splice(0, told.length, ...(parseSseMessages(whole) as AnyJson[]));
    if (told.length >= 2) break;
  }
  const [first, second] = told.map(({ params }) => params);
  expect([first.message, second.message, first.progressToken]).toEqual(['', '', 3]);
  expect(second.progress).toBeGreaterThan(first.progress);
});
