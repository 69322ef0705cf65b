import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';

/** What `Accept` asks for at /mcp: JSON, a stream, either, or what is refused. */
let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(), baton.apiKey);
});
afterAll(async () => {
  await client?.close();
  await baton?.stop();
});

const call = (name: string, args: object, _meta?: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, ...(_meta === undefined ? {} : { _meta }) },
});
const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
const initialize = {
  jsonrpc: '2.0',
  id: 7,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};
const echo = call('bench_echo', { text: 'accept' });

async function post(accept: string, body: object, key = baton.apiKey) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept };
  const response = await fetch(`${baton.url()}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
  const [type] = (response.headers.get('content-type') ?? 'nothing').split(';');
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1];
  const message: AnyJson =
    type === 'text/event-stream' ? JSON.parse(data ?? 'null') : text && JSON.parse(text);
  return { status: response.status, type, message, headers: response.headers };
}

const BODIES: [string, object][] = [
  ['a request', ping],
  ['a call that delegates', echo],
  ['a call with a progressToken', call('get_tasks', {}, { progressToken: 1 })],
  ['initialize', initialize],
  ['a batch', [ping]],
];

describe.each<[string, string, string]>([
  ['application/json', 'application/json', 'JSON alone'],
  ['application/*', 'application/json', 'a range of JSON'],
  ['Application/JSON; charset=utf-8', 'application/json', 'JSON with a parameter, in other letters'],
  ['text/html, application/json;q=0.2', 'application/json', 'JSON, though rather not'],
  ['text/event-stream;q=0, */*', 'application/json', 'anything but a stream'],
  ['text/event-stream', 'text/event-stream', 'a stream alone'],
  ['text/*', 'text/event-stream', 'a range of streams'],
  ['application/json;q=0, */*', 'text/event-stream', 'anything but JSON'],
])("Accept: '%s' is answered with %s, as %s", (accept, type) => {
  test.each(BODIES)('for %s', async (_what, body) => {
    const reply = await post(accept, body);
    expect([reply.status, reply.type, [reply.message].flat()[0]?.id]).toEqual([200, type, 7]);
    if (body === initialize) expect(reply.headers.get('mcp-session-id')).toBeTruthy();
    if (body === echo) expect(reply.message.result.structuredContent.status).toBe('pending_agent_llm_action');
  });

  test('a notification has no reply, whatever would be taken', async () => {
    const reply = await post(accept, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(reply.status).toBe(202);
  });

  test('a refusal has its status and challenge', async () => {
    const reply = await post(accept, ping, 'bt_acme_nobody_nothing');
    expect([reply.status, reply.message.error.data.code]).toEqual([401, 'unauthenticated']);
    expect(reply.headers.get('www-authenticate')).toContain('invalid_token');
  });
});

test('a call that waits has its reply in the only form that is taken', async () => {
  for (const accept of ['application/json', 'text/event-stream']) {
    const { taskId, interactionId } = await callTool(client, 'bench_echo', { text: `waits for ${accept}` });
    const waiting = post(accept, call('task_status', { taskId, waitMs: 20_000 }));
    const agentLLMResponse = { status: 'success', data: { object: { value: 'x' } } };
    await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
    const { type, message } = await waiting;
    expect(type).toBe(accept);
    expect(['completed', 'input_required']).toContain(message.result.structuredContent.status);
  }
});

test('both named, a wildcard and no types are answered as before: with JSON when it comes at once', async () => {
  for (const accept of ['application/json, text/event-stream', '*/*', 'text/html, */*;q=0.1'])
    expect(await post(accept, ping)).toMatchObject({ status: 200, type: 'application/json' });
});

test.each(['text/html', 'image/png, text/plain', 'application/json;q=0', 'application/xml', 'words'])(
  "Accept: '%s' is refused with 406 and a code, and nothing is done",
  async (accept) => {
    for (const [, body] of BODIES) {
      const { status, type, message } = await post(accept, body);
      expect([status, type, message.error.data.code]).toEqual([406, 'application/json', 'not_acceptable']);
      expect(message.error.message).toContain('application/json or text/event-stream');
      expect(message.error.data).toMatchObject({ header: 'Accept' });
    }
  },
);

test('a refused key is told before what its client accepts', async () => {
  expect(await post('text/html', ping, 'bt_acme_nobody_nothing')).toMatchObject({ status: 401 });
});
