import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { connectMcpClient } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { API_KEY, ProviderFixture } from './provider-fixture.ts';

let fixture: ProviderFixture;
let redis: Redis;

beforeAll(async () => {
  fixture = await ProviderFixture.start({ workers: 2, limits: { providerCalls: 2 } });
  redis = new Redis(fixture.baton.redisUrl.replace('unix://', ''));
  await fixture.putRole('main', { routes: [fixture.route()] });
});
afterAll(async () => {
  redis?.disconnect();
  await fixture?.stop();
});
beforeEach(() => {
  fixture.llm.behaviour = () => VALID_ANSWER;
});

const echo = (text: string, client = fixture.client) => fixture.call('bench_echo', { text }, client);
const calls = async () => (await redis.keys('*:t:acme:calls')).length;

describe.each(['openai', 'anthropic'] as const)('a request whose role names an endpoint of %s', (kind) => {
  beforeAll(async () => void (await fixture.putRole('main', { routes: [fixture.route({ kind })] })));

  test('is answered by a call of a worker, without an agent, and with the key and the model of the role', async () => {
    const text = `answered by ${kind}`;
    expect(await echo(text)).toMatchObject({ status: 'completed', value: `answer to ${text}` });
    const [asked, ...others] = fixture.llm.callsAbout(text);
    expect(others).toEqual([]);
    expect(asked).toMatchObject({ api: kind, model: 'served-model' });
    const credential = kind === 'openai' ? asked?.headers.authorization : asked?.headers['x-api-key'];
    expect(credential).toContain(API_KEY);
    expect(asked?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(await calls(), 'nothing is left of it').toBe(0);
  });
});

test('a caller names no model of an endpoint, and no more tokens than the role has', async () => {
  await fixture.putRole('main', { routes: [fixture.route()], maxTokens: 50, temperature: 0.7 });
  const requestParameters = {
    modelId: 'the-dearest',
    maxTokens: 9_000,
    messages: [{ role: 'user', content: 'own call' }],
  };
  const details = { originalCommand: 'x', serviceType: 'generateText', requestParameters };
  expect(await fixture.call('agent_llm', { delegatedCallDetails: details })).toMatchObject({
    status: 'completed',
    response: 'answer to own call',
  });
  const [asked] = fixture.llm.callsAbout('own call');
  expect(asked?.body).toMatchObject({ model: 'served-model', max_tokens: 50, temperature: 0.7 });
  await fixture.putRole('main', { routes: [fixture.route()] });
});

describe('while a call is under way', () => {
  test('its task is working, no list shows it, and no agent can answer or claim it', async () => {
    fixture.llm.behaviour = () => ({ do: 'say', afterMs: 4_000 });
    const waiting = echo('not for agents');
    await fixture.llm.waitUntil((all) => all.some(({ topic }) => topic === 'not for agents'));
    const interactionId = fixture.llm.callsAbout('not for agents')[0]?.headers['idempotency-key'] as string;
    const agentKey = await fixture.baton.createKey({ scopes: ['agent', 'mcp', 'admin'] });
    const agent = await connectMcpClient(fixture.baton.url(), agentKey);
    const { tasks } = (await fixture.rest('GET', '/tasks?status=working')).body;
    expect(tasks).toHaveLength(1);
    expect(await fixture.call('pending_interactions', { status: 'pending' }, agent)).toMatchObject({
      interactions: [],
    });
    const agentLLMResponse = { status: 'success', data: { value: 'mine' } };
    expect(await fixture.call('agent_llm', { interactionId, agentLLMResponse }, agent)).toMatchObject({
      error: { code: 'interaction_not_found' },
    });
    const shown = await fixture.rest('GET', `/interactions/${interactionId}`, undefined, agentKey);
    expect(shown.body).toMatchObject({ status: 'pending', provider: true });
    const uri = `baton://interactions/${interactionId}`;
    const [read] = (await agent.readResource({ uri })).contents as { text: string }[];
    expect(read?.text).toContain('not for agents');
    expect(read?.text).not.toContain('agent_must_respond');
    expect(await waiting).toMatchObject({ status: 'completed', value: 'answer to not for agents' });
    expect(fixture.llm.callsAbout('not for agents')).toHaveLength(1);
    await agent.close();
  });

  test('a tenant has as many at once as its limit, and the others wait for their turn', async () => {
    fixture.llm.behaviour = () => ({ do: 'say', afterMs: 300 });
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, fixture.llm.openCalls)), 5);
    const replies = await Promise.all(Array.from({ length: 8 }, (_, at) => echo(`turn ${at}`)));
    clearInterval(watch);
    expect(replies.map(({ value }) => value)).toEqual(replies.map((_, at) => `answer to turn ${at}`));
    expect(most).toBe(2);
  });

  test('one tenant whose endpoint hangs keeps no other from its own', async () => {
    fixture.llm.behaviour = ({ topic }) => (topic.startsWith('hangs') ? { do: 'hang' } : VALID_ANSWER);
    const hanging = Array.from({ length: 6 }, (_, at) => echo(`hangs ${at}`));
    await fixture.llm.waitUntil((all) => all.filter(({ topic }) => topic.startsWith('hangs')).length === 2);
    const otherKey = await fixture.baton.addTenant('other');
    const admin = await fixture.baton.createKey({ scopes: ['admin'] }, 'other');
    await fixture.putRole('main', { routes: [fixture.route()] }, admin);
    const other = await connectMcpClient(fixture.baton.url(), otherKey);
    expect(await echo('of another tenant', other)).toMatchObject({ status: 'completed' });
    await other.close();
    const { tasks } = (await fixture.rest('GET', '/tasks?status=working')).body;
    expect(tasks).toHaveLength(6);
    for (const { taskId } of tasks) await fixture.call('cancel_task', { taskId });
    for (const reply of await Promise.all(hanging)) expect(reply.error.code).toBe('task_cancelled');
    await waitUntilOrThrow(
      'the calls of cancelled tasks end',
      8_000,
      async () => fixture.llm.openCalls === 0,
    );
    expect(await calls(), 'and what waited leaves with them').toBe(0);
  });
});

test('a hundred calls that hang keep no delegation from being asked, answered and ended', async () => {
  const slow = await ProviderFixture.start({ workers: 1, limits: { providerCalls: 100 } });
  let answerAll = () => {};
  const after = new Promise<void>((resolve) => (answerAll = resolve));
  slow.llm.behaviour = () => ({ do: 'say', after });
  await slow.putRole('main', { routes: [slow.route()] });
  const called = Array.from({ length: 100 }, (_, at) => slow.call('bench_echo', { text: `slow ${at}` }));
  await slow.llm.waitUntil((all) => all.length === 100);
  const delegatedCallDetails = {
    originalCommand: 'ask',
    role: 'research',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content: 'Why?' }] },
  };
  for (let n = 0; n < 10; n++) {
    const { interactionId } = await slow.call('agent_llm', { delegatedCallDetails });
    const agentLLMResponse = { status: 'success', data: { text: 'Rain.' } };
    const answered = await slow.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
    expect(answered.outcome).toMatchObject({ status: 'completed', result: { response: 'Rain.' } });
  }
  expect(slow.llm.openCalls).toBe(100);
  answerAll();
  for (const { status } of await Promise.all(called)) expect(status).toBe('completed');
  await slow.stop();
});
