import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '@baton/gateway';
import { readRedisContents } from '@baton/store/testing/redis-contents';
import { connectMcpClient } from '../harness/mcp-client.ts';
import { API_KEY, ProviderFixture } from './provider-fixture.ts';

let fixture: ProviderFixture;
let redis: Redis;
const lines: string[] = [];

beforeAll(async () => {
  const log = createLogger('trace', {}, { write: (line: string) => void lines.push(line) });
  fixture = await ProviderFixture.start({ workers: 1, log });
  redis = new Redis(fixture.baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await fixture?.stop();
});

const messagesOf = { messages: [{ role: 'user', content: 'hi' }] };
const delegate = (requestParameters: object, role = 'research') =>
  fixture.call('agent_llm', {
    delegatedCallDetails: { originalCommand: 'x', role, serviceType: 'generateText', requestParameters },
  });

test('without configuration the agent is asked, and a request never names a model: its own choice, by its role', async () => {
  expect((await fixture.rest('GET', '/roles')).body.roles).toEqual(
    ['main', 'research', 'fallback'].map((role) => ({
      role,
      configured: false,
      routes: [{ kind: 'agent' }],
    })),
  );
  const asked = [await fixture.call('bench_echo', { text: 'a' }), await delegate(messagesOf)];
  expect(asked).toMatchObject([
    { role: 'main', llmRequestForAgent: { apiKey: null, modelId: null } },
    { role: 'research', llmRequestForAgent: { apiKey: null, modelId: null } },
  ]);
  const { interactionId } = asked[1];
  expect((await fixture.rest('GET', `/interactions/${interactionId}`)).body).toMatchObject({
    role: 'research',
    llmRequestForAgent: { modelId: null },
  });
  await fixture.putRole('research', { routes: [{ kind: 'agent' }], maxTokens: 100 });
  expect((await delegate(messagesOf)).llmRequestForAgent).toMatchObject({ modelId: null, maxTokens: 100 });
  await fixture.rest('DELETE', '/roles/research');
});

test("a role's model and bounds are in its requests from then on; a caller's own model stays", async () => {
  const put = { routes: [{ kind: 'AgentLLM', modelId: 'sonar' }], maxTokens: 100, temperature: 0.3 };
  expect(await fixture.putRole('research', put)).toMatchObject({
    status: 200,
    body: { role: 'research', configured: true, routes: [{ kind: 'agent', modelId: 'sonar' }] },
  });
  expect((await delegate(messagesOf)).llmRequestForAgent).toMatchObject({
    modelId: 'sonar',
    maxTokens: 100,
    temperature: 0.3,
  });
  expect((await delegate({ ...messagesOf, maxTokens: 7 })).llmRequestForAgent.maxTokens).toBe(7);
  const lowest = { ...messagesOf, max_tokens: 50_000, max_completion_tokens: 9 };
  const { llmRequestForAgent: shown } = await delegate(lowest);
  expect([shown.maxTokens, shown.max_tokens, shown.max_completion_tokens]).toEqual([9, undefined, undefined]);
  const above = (await delegate({ ...messagesOf, max_output_tokens: 50_000 })).llmRequestForAgent;
  expect([above.maxTokens, above.max_output_tokens]).toEqual([100, undefined]);
  const own = { ...messagesOf, modelId: 'mine', maxTokens: 900, temperature: 1 };
  expect((await delegate(own)).llmRequestForAgent).toMatchObject({
    modelId: 'mine',
    maxTokens: 100,
    temperature: 1,
  });
  expect((await fixture.rest('DELETE', '/roles/research')).body).toEqual({ role: 'research', deleted: true });
  expect((await fixture.rest('DELETE', '/roles/research')).body.deleted).toBe(false);
});

test.each<[string, object, string]>([
  ['no route', { routes: [] }, 'routes'],
  ['four routes', { routes: Array.from({ length: 4 }, () => ({ kind: 'agent' })) }, 'routes'],
  ['another kind', { routes: [{ kind: 'gemini' }] }, 'routes.0.kind'],
  ['no model', { routes: [{ kind: 'openai', baseUrl: 'https://llm.example' }] }, 'routes.0.modelId'],
  ['a model that is no string', { routes: [{ kind: 'agent', modelId: 7 }] }, 'routes.0.modelId'],
  ...[
    'ftp://llm.example',
    'http://user:pw@llm.example',
    'https://llm.example/?q=1',
    'llm',
    '//x',
    'file:///etc/passwd',
  ].map((baseUrl): [string, object, string] => [
    `the address ${baseUrl}`,
    { routes: [{ kind: 'openai', baseUrl, modelId: 'm' }] },
    'routes.0.baseUrl',
  ]),
  [
    'a key with a line break',
    { routes: [{ kind: 'openai', baseUrl: 'https://llm.example', modelId: 'm', apiKey: 'a\r\nb' }] },
    'routes.0.apiKey',
  ],
  ...[0, 10_000_001].map((maxTokens): [string, object, string] => [
    `${maxTokens} tokens`,
    { routes: [{ kind: 'agent' }], maxTokens },
    'maxTokens',
  ]),
  ['an unknown field', { routes: [{ kind: 'agent' }], model: 'x' }, 'model'],
])('%s is refused, and the field named', async (_what, body, field) => {
  const refused = await fixture.rest('PUT', '/roles/main', body);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain(field);
  expect((await fixture.rest('GET', '/roles/main')).body.configured).toBe(false);
});

test('a key is in no reply, no log and no clear text in Redis, and stays where a put leaves it out', async () => {
  const route = fixture.route();
  const replies = [await fixture.putRole('main', { routes: [route] })];
  const { apiKey: _, ...rest } = route as { apiKey: string };
  replies.push(await fixture.putRole('main', { routes: [{ ...rest, modelId: 'another' }] }));
  await fixture.call('bench_echo', { text: 'with the stored key' });
  const [asked] = fixture.llm.callsAbout('with the stored key');
  expect(asked).toMatchObject({ model: 'another', headers: { authorization: `Bearer ${API_KEY}` } });
  fixture.llm.behaviour = () => ({ do: 'refuse', status: 401, message: 'no' });
  replies.push(await fixture.call('bench_echo', { text: 'refused' }));
  replies.push(await fixture.rest('GET', '/roles'), await fixture.rest('GET', '/roles/main'));
  expect(replies[0].body.routes[0]).toMatchObject({ apiKeySet: true });
  for (const reply of replies) expect(JSON.stringify(reply)).not.toContain(API_KEY);
  expect(JSON.stringify(replies)).not.toContain('sealedKey');
  expect(JSON.stringify(await readRedisContents(redis, 'baton'))).not.toContain(API_KEY);
  expect(lines.join('')).not.toContain(API_KEY);
  expect(lines.join(''), 'the log was written').toContain('authentication_error');
});

test('a key is sent to no host but the one that it was given for', async () => {
  const { apiKey: _, ...rest } = fixture.route() as { apiKey: string; baseUrl: string };
  const moved = { routes: [{ ...rest, baseUrl: 'https://elsewhere.example/v1' }] };
  const refused = await fixture.rest('PUT', '/roles/main', moved);
  expect(refused.body).toMatchObject({ status: 400, code: 'invalid_arguments' });
  const given = new URL(rest['baseUrl'] as string);
  const reason = (asked: string) =>
    `routes.0.apiKey: the stored key was given for ${given.origin}, and is sent nowhere else. Give the key for ${asked}, or null`;
  expect(refused.body.detail).toContain(reason('https://elsewhere.example'));
  const tls = { routes: [{ ...rest, baseUrl: `https://${given.host}/v1` }] };
  expect((await fixture.rest('PUT', '/roles/main', tls)).body.detail).toContain(
    reason(`https://${given.host}`),
  );
  // Not even where somebody writes into Redis.
  const key = 'baton:{s0}:t:acme:roles';
  const stored = (await redis.hget(key, 'main')) ?? '';
  await redis.hset(key, 'fallback', stored);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  const failed = await delegate(messagesOf, 'fallback');
  expect(failed.error.errorDetails).toMatchObject({ type: 'authentication_error' });
  expect(fixture.llm.callsAbout('hi')).toEqual([]);
  await redis.hdel(key, 'fallback');
});

test("no key without admin reads or changes a role, and a tenant's roles are its own", async () => {
  for (const [method, path] of [
    ['GET', '/roles'],
    ['GET', '/roles/main'],
    ['PUT', '/roles/main'],
    ['DELETE', '/roles/main'],
  ] as const) {
    const body = method === 'PUT' ? { routes: [{ kind: 'agent' }] } : undefined;
    expect((await fixture.rest(method, path, body, fixture.baton.apiKey)).status).toBe(403);
  }
  const otherKey = await fixture.baton.addTenant('other');
  const admin = await fixture.baton.createKey({ scopes: ['admin'] }, 'other');
  expect((await fixture.rest('GET', '/roles/main', undefined, admin)).body.configured).toBe(false);
  const other = await connectMcpClient(fixture.baton.url(), otherKey);
  expect((await fixture.call('bench_echo', { text: 'x' }, other)).status).toBe('pending_agent_llm_action');
  await other.close();
});

test('a route that fails for good, or that nobody answers in time, is followed by the next', async () => {
  fixture.llm.behaviour = ({ model }) => (model === 'broken' ? { do: 'refuse', status: 404 } : { do: 'say' });
  await fixture.putRole('main', {
    routes: [fixture.route({ modelId: 'broken' }), fixture.route({ modelId: 'works' })],
  });
  expect(await fixture.call('bench_echo', { text: 'fallback' })).toMatchObject({ status: 'completed' });
  expect(fixture.llm.callsAbout('fallback').map(({ model }) => model)).toEqual(['broken', 'works']);
  await fixture.putRole('main', {
    routes: [fixture.route({ modelId: 'broken' }), { kind: 'agent', modelId: 'm' }],
  });
  expect(await fixture.call('bench_echo', { text: 'to the agent' })).toMatchObject({
    status: 'pending_agent_llm_action',
    llmRequestForAgent: { modelId: 'm' },
  });
});
