import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { successAnswer, callTool, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const INITIALIZE = rpc('initialize', {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
});

describe('without a session', () => {
  let baton: InProcessDeployment;

  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  });
  afterAll(() => baton?.stop());

  const bare = async (method: string, headers: Record<string, string> = {}, key = baton.apiKey) => {
    const all = { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers };
    const response = await fetch(`${baton.url()}/mcp`, { method, headers: all });
    return { response, body: JSON.parse(await response.text()) };
  };

  test('GET is 405 with a hint to initialize, whatever it accepts [session-none]', async () => {
    for (const accept of ['text/event-stream', 'application/json, text/event-stream', '*/*', 'text/html']) {
      const { response, body } = await bare('GET', { accept });
      expect([accept, response.status, response.headers.get('allow')]).toEqual([accept, 405, 'POST']);
      expect(body.error.data.code).toBe('method_not_allowed');
      expect(body.error.message).toMatch(/initialize.*Mcp-Session-Id/);
    }
  });

  test('DELETE is refused, since there is no session to end [session-none]', async () => {
    const { response, body } = await bare('DELETE');
    expect([response.status, body.error.code, body.error.data.code]).toEqual([
      400,
      -32600,
      'session_required',
    ]);
    expect(body.error.message).toMatch(/initialize.*Mcp-Session-Id/);
  });

  test('a revoked key is refused before anything else [session-none]', async () => {
    const dead = await baton.createKey({});
    await baton.store.tenant('acme').apiKeys.revoke(dead.split('_')[2] ?? '');
    for (const method of ['GET', 'DELETE']) expect((await bare(method, {}, dead)).response.status).toBe(401);
  });

  test('initialize in a batch is refused, and never creates a session [session-none]', async () => {
    for (const batch of [[INITIALIZE], [INITIALIZE, rpc('ping')], [rpc('ping'), INITIALIZE]]) {
      const { status, headers, body } = await postJsonRpc(baton.url(), baton.apiKey, batch);
      expect([status, body.error.code, body.id]).toEqual([400, -32600, null]);
      expect(body.error.message).toContain('initialize must not be part of a batch');
      expect(headers.get('mcp-session-id')).toBeNull();
    }
    const alone = await postJsonRpc(baton.url(), baton.apiKey, INITIALIZE);
    expect([alone.status, alone.headers.get('mcp-session-id')]).toEqual([200, expect.any(String)]);
  });

  test('the official client works without a session [session-none]', async () => {
    const client = new Client({ name: 'sessionless', version: '1' });
    const asked: [string, number][] = [];
    const transport = new StreamableHTTPClientTransport(new URL(`${baton.url()}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${baton.apiKey}` } },
      // A proxy that lets the session's header through in neither direction.
      fetch: async (url, init) => {
        const { body, status, headers } = await fetch(url, init);
        asked.push([init?.method ?? 'GET', status]);
        const through = new Headers(headers);
        through.delete('mcp-session-id');
        return new Response(body, { status, headers: through });
      },
    });
    const errors: Error[] = [];
    client.onerror = (error) => errors.push(error);
    await client.connect(transport as Parameters<Client['connect']>[0]);
    await client.listTools();
    const { interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
    const agentLLMResponse = successAnswer({ value: 'x' });
    const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
    expect(outcome.status).toBe('completed');
    await transport.terminateSession();
    await client.close();
    expect(asked).toContainEqual(['GET', 405]);
    expect(errors).toEqual([]);
  });
});
