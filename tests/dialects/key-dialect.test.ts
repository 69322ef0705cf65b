import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { metaWith, requestOf2026, TASKS } from './client-of-2026.ts';
import { sampled } from './sampling-client.ts';
import { openSession, TaskStreamClient } from './task-stream-client.ts';

/** The dialect that a key names, for clients whose calls name none. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(async () => baton?.stop());

const ECHO = { name: 'bench_echo', arguments: { text: 'hello' } };
const BOTH = { sampling: {}, extensions: { [TASKS]: {} } };

async function keys(method: string, path: string, body: object): Promise<AnyJson> {
  const response = await fetch(`${baton.url(0)}/v1/tenants/acme/keys${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

async function shownIn2026(key: string, capabilities: object, meta: object = {}): Promise<string> {
  const more = { meta: metaWith(capabilities, meta) };
  const { body } = await requestOf2026(baton.url(1), key, 'tools/call', ECHO, more);
  const { resultType, structuredContent } = body.result;
  return structuredContent === undefined ? resultType : 'tool';
}

test('a key with the dialect sampling has calls of 2025 ask on their stream, without a word of their own', async () => {
  const { key, dialect } = await keys('POST', '', { name: 'sampling', dialect: 'sampling' });
  expect(dialect).toBe('sampling');
  const headers = await openSession(baton.url(0), key, { sampling: {} });
  const request = { method: 'tools/call', params: ECHO };
  const stream = await TaskStreamClient.open(baton.url(0), headers, { request });
  const { id } = await stream.message('sampling/createMessage');
  await postJsonRpc(
    baton.url(1),
    undefined,
    { jsonrpc: '2.0', id, result: sampled({ value: 'v' }) },
    headers,
  );
  expect((await stream.message('')).result.structuredContent).toMatchObject({ value: 'v' });
  // A client that cannot be asked is shown the directive, as if the key named nothing, and so is a call that says so.
  const unable = await openSession(baton.url(0), key, {});
  for (const [params, by] of [
    [ECHO, unable],
    [{ ...ECHO, _meta: { 'baton/dialect': 'tool' } }, headers],
  ] as const) {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const reply = await postJsonRpc(baton.url(0), undefined, body, by);
    expect(reply.body.result.structuredContent.status).toBe('pending_agent_llm_action');
  }
});

test.each([
  ['tool', BOTH, {}, 'tool'],
  ['input_required', BOTH, {}, 'input_required'],
  ['task', { extensions: { [TASKS]: {} } }, {}, 'task'],
  ['task', { sampling: {} }, {}, 'input_required'],
  ['sampling', BOTH, {}, 'task'],
  ['tool', BOTH, { 'baton/dialect': 'task' }, 'task'],
])(
  'a key with the dialect %s, and a client of 2026-07-28 with %j whose call says %j: %s',
  async (dialect, capabilities, meta, shown) => {
    const { key } = await keys('POST', '', { name: dialect, dialect });
    expect(await shownIn2026(key, capabilities, meta)).toBe(shown);
  },
);

test('it is changed within a second, is kept when the key is rotated, and is one of those that there are', async () => {
  const made = await keys('POST', '', { name: 'changing' });
  expect(made.dialect).toBeUndefined();
  expect(await shownIn2026(made.key, { sampling: {} })).toBe('input_required');
  expect((await keys('PATCH', `/${made.id}`, { dialect: 'tool' })).dialect).toBe('tool');
  await vi.waitFor(async () => expect(await shownIn2026(made.key, { sampling: {} })).toBe('tool'), {
    timeout: 5_000,
    interval: 100,
  });
  const rotated = await keys('POST', `/${made.id}/rotate`, {});
  expect([rotated.dialect, await shownIn2026(rotated.key, { sampling: {} })]).toEqual(['tool', 'tool']);
  expect((await keys('PATCH', `/${rotated.id}`, { dialect: '' })).dialect).toBeUndefined();
  expect((await keys('PATCH', `/${rotated.id}`, { dialect: 'telepathy' })).status).toBe(400);
  expect((await keys('POST', '', { name: 'x', dialect: '' })).status).toBe(400);
});
