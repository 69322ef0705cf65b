import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import { BrowserFixture } from './browser-fixture.ts';

/** Pages in a real browser: what CORS lets them do is decided by the browser, not by the test. */
let browser: BrowserFixture;
let baton: InProcessDeployment;
let open: InProcessDeployment;
let page: Page;
let foreign: Page;

beforeAll(async () => {
  browser = await BrowserFixture.start();
  const start = (allowedOrigins: string[]) =>
    InProcessDeployment.start({ gateways: 1, workers: 1, gateway: { allowedOrigins } });
  [baton, open] = await Promise.all([start([browser.origin]), start(['*'])]);
  [page, foreign] = [await browser.openPage(), await browser.openPage(browser.otherOrigin)];
});
afterAll(async () => {
  await browser?.stop();
  await Promise.all([baton?.stop(), open?.stop()]);
});

interface Sent {
  readonly url: string;
  readonly method?: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly credentials?: 'include' | 'omit';
}

/** A page's own fetch: what its script can read of the response, or that the browser shows it none. */
function fetchFrom(from: Page, sent: Sent): Promise<AnyJson> {
  return from.evaluate(async ({ url, method = 'POST', key, body, headers = {}, credentials }) => {
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(credentials && { credentials }),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.json().catch(() => null),
      };
    } catch (error) {
      return { refused: String(error) };
    }
  }, sent);
}

const toolUrl = (at: InProcessDeployment, name: string) => `${at.url()}/v1/tools/${name}`;

test('the official client in a page connects, lists, calls, answers, hears of changes and of progress, and ends its session', async () => {
  const seen = await page.evaluate(
    async ({ url, key }) => {
      const { Client, StreamableHTTPClientTransport } = globalThis.mcp;
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
      const client = new Client({ name: 'page', version: '1' });
      await client.connect(transport as never);
      const sessionId = transport.sessionId;
      const { tools } = await client.listTools();

      const heard = new Promise<string>((resolve) => {
        client.fallbackNotificationHandler = async ({ method, params }) => {
          if (method === 'notifications/resources/updated') resolve(String(params?.['uri']));
        };
      });
      const uri = 'baton://projects/page/tasks';
      const add = { projectRoot: 'page', title: 'T', description: 'd' };
      await client.callTool({ name: 'add_task', arguments: add });
      await client.subscribeResource({ uri });
      await client.callTool({ name: 'add_task', arguments: add });
      const updated = await heard;

      const delegatedCallDetails = {
        originalCommand: 'story',
        serviceType: 'streamText',
        requestParameters: { messages: [{ role: 'user', content: 'A story' }] },
      };
      const call = async (args: Record<string, unknown>) =>
        (await client.callTool({ name: 'agent_llm', arguments: args })).structuredContent as Record<
          string,
          string
        >;
      const { taskId, interactionId } = await call({ delegatedCallDetails });
      const chunk = { status: 'streaming', sequence: 0, delta: 'Once' };
      await call({ interactionId, agentLLMResponse: chunk });
      let told: (message: string) => void = () => {};
      const progress = new Promise<string>((resolve) => (told = resolve));
      const waiting = client.callTool(
        { name: 'task_status', arguments: { taskId, waitMs: 20_000 } },
        undefined,
        { onprogress: ({ message = '' }) => told(message) },
      );
      const text = await progress;
      await call({ interactionId, agentLLMResponse: { status: 'success', data: {} } });
      const { structuredContent: ended } = await waiting;

      await transport.terminateSession();
      const after = await client.listTools().then(
        () => 'listed',
        (error: { code?: unknown }) => error.code,
      );
      await client.close();
      return { sessionId, tools: tools.length, updated, text, ended, after };
    },
    { url: `${baton.url()}/mcp`, key: baton.apiKey },
  );
  expect(seen.sessionId).toMatch(/^.{40,}$/);
  expect(seen.tools).toBeGreaterThan(30);
  expect(seen).toMatchObject({ updated: 'baton://projects/page/tasks', text: 'Once' });
  expect(seen.ended).toMatchObject({ status: 'completed' });
});

describe('a page of an allowed origin', () => {
  test('calls REST with its headers, and reads the result and where its task is', async () => {
    const { key, ...sent } = { key: baton.apiKey, body: { text: 'x' } };
    const headers = { 'idempotency-key': 'one' };
    const begun = await fetchFrom(page, { ...sent, key, url: toolUrl(baton, 'bench_echo'), headers });
    expect(begun.status).toBe(202);
    expect(begun.headers.location).toContain('/v1/tasks/');
    expect(begun.headers['x-baton-replica']).toBe('gateway-0');
    const task = await fetchFrom(page, { url: begun.headers.location, method: 'GET', key });
    expect([task.status, task.body.taskId]).toEqual([200, begun.body.taskId]);
    const put = { master: { tasks: [] } };
    const project = await fetchFrom(page, {
      url: `${baton.url()}/v1/projects/p`,
      method: 'PUT',
      key,
      body: put,
    });
    expect(project.status).toBe(200);
    expect(
      (await fetchFrom(page, { url: `${baton.url()}/v1/projects/p`, method: 'DELETE', key })).status,
    ).toBe(204);
  });

  test('reads refusals: the challenge of a 401, Retry-After of a 429, a 404 and a 400', async () => {
    for (const url of [`${baton.url()}/mcp`, toolUrl(baton, 'get_tasks')]) {
      const { status, headers } = await fetchFrom(page, { url, body: {} });
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toContain('resource_metadata=');
      const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(headers['www-authenticate']) ?? [];
      expect((await fetchFrom(page, { url: metadata, method: 'GET' })).body.resource).toBe(
        `${baton.url()}/mcp`,
      );
    }
    const slow = await baton.addTenant('slow', { requestsPerSecond: 1, burst: 1 });
    const replies = [];
    for (let n = 0; n < 4; n++)
      replies.push(await fetchFrom(page, { url: toolUrl(baton, 'list_conversations'), key: slow, body: {} }));
    const refused = replies.find(({ status }) => status === 429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const key = baton.apiKey;
    expect((await fetchFrom(page, { url: `${baton.url()}/v1/nothing`, method: 'GET', key })).status).toBe(
      404,
    );
    expect((await fetchFrom(page, { url: `${baton.url()}/mcp`, key, body: 7 })).status).toBe(400);
  });

  test('is shown nothing of a request with the credentials of the browser', async () => {
    const sent = { url: toolUrl(baton, 'list_conversations'), key: baton.apiKey, body: {} };
    expect((await fetchFrom(page, sent)).status).toBe(200);
    expect(await fetchFrom(page, { ...sent, credentials: 'include' })).toEqual({
      refused: expect.stringContaining('Failed to fetch'),
    });
  });
});

test('a page of another origin is shown no response, of /mcp and of /v1, with a key and without', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  for (const key of [baton.apiKey, undefined]) {
    for (const [url, body] of [
      [`${baton.url()}/mcp`, list],
      [toolUrl(baton, 'list_conversations'), {}],
    ] as const) {
      const seen = await fetchFrom(foreign, { url, body, ...(key && { key }) });
      expect(seen).toEqual({ refused: expect.stringContaining('Failed to fetch') });
    }
  }
});

test('with BATON_ALLOWED_ORIGINS=* every page may call, and never with the credentials of the browser', async () => {
  for (const from of [page, foreign]) {
    const sent = { url: toolUrl(open, 'list_conversations'), key: open.apiKey, body: {} };
    expect((await fetchFrom(from, sent)).status).toBe(200);
    expect(await fetchFrom(from, { ...sent, credentials: 'include' })).toEqual({
      refused: expect.stringContaining('Failed to fetch'),
    });
  }
});
