import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIELD } from '../../packages/store/src/records/task-record.ts';
import { type LlmBehaviour, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { API_KEY, ProviderFixture } from './provider-fixture.ts';

let fixture: ProviderFixture;
/** What the endpoint does with the calls about a topic, the first of them or all. */
const behaviours = new Map<string, { readonly behaviour: LlmBehaviour; readonly calls: number }>();
const behave = (topic: string, behaviour: LlmBehaviour, calls = Number.POSITIVE_INFINITY) =>
  behaviours.set(topic, { behaviour, calls });

beforeAll(async () => {
  fixture = await ProviderFixture.start({ workers: 1 });
  fixture.llm.behaviour = ({ topic, attempt }) => {
    const { behaviour, calls } = behaviours.get(topic) ?? { behaviour: VALID_ANSWER, calls: 1 };
    return attempt <= calls ? behaviour : VALID_ANSWER;
  };
  await fixture.putRole('main', { routes: [fixture.route({ timeoutMs: 1_000 })] });
});
afterAll(() => fixture?.stop());

/** The reply of a call that fails at last: three attempts with their pauses may take longer than a call waits. */
async function failureOf(name: string, args: object) {
  let reply = await fixture.call(name, args);
  while (reply.status === 'working')
    reply = await fixture.call('task_status', { taskId: reply.taskId, waitMs: 20_000 });
  return reply;
}

const MEBIBYTE = 1_048_576;
const redirect = { location: 'http://169.254.169.254/latest/meta-data' };

/** What an endpoint does, what the task's error says, and how often it is asked. */
test.concurrent.each<[string, LlmBehaviour, object, number]>([
  ['hangs', { do: 'hang' }, { type: 'timeout_error', message: expect.stringContaining('within 1000 ms') }, 3],
  [
    'answers 429 for ever',
    { do: 'refuse', status: 429, headers: { 'retry-after': '1' } },
    { type: 'rate_limit_error', retryAfterMs: 1_000 },
    3,
  ],
  ['answers 500', { do: 'refuse', status: 500 }, { type: 'api_error' }, 3],
  [
    'redirects to a metadata service',
    { do: 'refuse', status: 302, headers: redirect },
    { type: 'redirect_refused' },
    1,
  ],
  ['sends half a JSON', { do: 'garble' }, { type: 'api_error' }, 3],
  [
    'answers with a page of HTML',
    { do: 'garble', body: '<!doctype html><title>Login</title>', contentType: 'text/html' },
    { type: 'api_error', message: 'The LLM endpoint answered 200 with a page of HTML.' },
    3,
  ],
  [
    'answers 200 with an error inside',
    { do: 'garble', body: '{"error":{"message":"boom","type":"server_error"}}' },
    { type: 'api_error', message: 'The LLM endpoint answered 200 with an error: boom' },
    3,
  ],
  [
    'answers 200 with a used up quota inside',
    { do: 'garble', body: '{"error":{"message":"quota","type":"insufficient_quota"}}' },
    { type: 'billing_error', message: 'The LLM endpoint answered 200 with an error: quota' },
    1,
  ],
  [
    'answers 200 with a refused key inside',
    { do: 'garble', body: '{"error":{"message":"No such key","code":401}}' },
    { type: 'authentication_error', message: 'The LLM endpoint answered 200 with an error: No such key' },
    1,
  ],
  [
    'answers 200 with nothing',
    { do: 'garble', body: '' },
    { type: 'api_error', message: 'The LLM endpoint answered 200 with an empty body.' },
    3,
  ],
  ['breaks off', { do: 'reset', halfway: true }, { type: 'api_error' }, 3],
  [
    'redirects with 308 to itself',
    { do: 'refuse', status: 308, headers: { location: '/v1' } },
    { type: 'redirect_refused' },
    1,
  ],
  ['is overloaded', { do: 'refuse', status: 529 }, { type: 'overloaded_error' }, 3],
  ['refuses the key', { do: 'refuse', status: 401 }, { type: 'authentication_error' }, 1],
  ['has no such model', { do: 'refuse', status: 404 }, { type: 'not_found_error' }, 1],
])(
  'an endpoint that %s: a clear error, and the next call is answered',
  async (what, behaviour, error, asked) => {
    const text = `an endpoint that ${what}`;
    behave(text, behaviour);
    const failed = await failureOf('bench_echo', { text });
    // By the model, usage tells which endpoint failed.
    const errorDetails = { ...error, model: 'served-model' };
    expect(failed.error).toMatchObject({ code: 'agent_error', errorDetails });
    expect(fixture.llm.countCalls(text)).toBe(asked);
    expect(JSON.stringify(failed)).not.toContain(API_KEY);
    expect(await fixture.call('bench_echo', { text: `after ${what}` })).toMatchObject({
      status: 'completed',
    });
  },
);

test.concurrent.each<[string, LlmBehaviour, object, number]>([
  [
    'is cut off by its limit, twice',
    { do: 'say', text: '{"value": "ha', finishReason: 'length' },
    {
      code: 'agent_error',
      errorDetails: { type: 'answer_cut', message: expect.stringContaining('128000 tokens (maxTokens)') },
    },
    2,
  ],
  [
    'is a refusal',
    { do: 'say', refusal: 'I will not plan that.' },
    { code: 'agent_refused', message: expect.stringContaining('I will not plan that.') },
    1,
  ],
])('a reply that %s says so, after as few calls as may help', async (what, behaviour, error, asked) => {
  const text = `a reply that ${what}`;
  behave(text, behaviour);
  expect((await fixture.call('bench_echo', { text })).error).toMatchObject(error);
  expect(fixture.llm.countCalls(text)).toBe(asked);
});

test('a reply that its limit cut off once is asked for with more room, and its task goes on', async () => {
  behave('cut once', { do: 'say', text: '{"value": "ha', finishReason: 'length' }, 1);
  expect(await fixture.call('bench_echo', { text: 'cut once' })).toMatchObject({ status: 'completed' });
  const [first, second] = fixture.llm.callsAbout('cut once').map(({ body }) => body.max_tokens);
  expect(second).toBe(first * 2);
});

test('a reply that the limit of its role cut off is not asked for with more than that', async () => {
  await fixture.putRole('main', { routes: [fixture.route()], maxTokens: 500 });
  behave('cut by its role', { do: 'say', text: '{"value": "ha', finishReason: 'length' });
  const { error } = await fixture.call('bench_echo', { text: 'cut by its role' });
  expect(error.errorDetails).toMatchObject({
    type: 'answer_cut',
    message: expect.stringContaining('500 tokens'),
  });
  expect(fixture.llm.callsAbout('cut by its role').map(({ body }) => body.max_tokens)).toEqual([500]);
  await fixture.putRole('main', { routes: [fixture.route({ timeoutMs: 1_000 })] });
});

const story = (topic: string) => ({
  delegatedCallDetails: {
    originalCommand: 'story',
    serviceType: 'streamText',
    requestParameters: { messages: [{ role: 'user', content: topic }] },
  },
});

test.concurrent.each<[string, LlmBehaviour, object, number]>([
  ['that never begins', { do: 'hang' }, { type: 'timeout_error' }, 3],
  ['that stops halfway', { do: 'say', halfway: new Promise(() => {}) }, { type: 'timeout_error' }, 3],
  ['that breaks off', { do: 'reset', halfway: true }, { type: 'api_error' }, 3],
  [
    'that is refused with 429 for ever',
    { do: 'refuse', status: 429, headers: { 'retry-after': '1' } },
    { type: 'rate_limit_error', retryAfterMs: 1_000 },
    3,
  ],
  ['that is redirected', { do: 'refuse', status: 302, headers: redirect }, { type: 'redirect_refused' }, 1],
  [
    'of half a JSON',
    { do: 'garble', body: 'data: {"id": "x", "choi\n\n', contentType: 'text/event-stream' },
    { type: 'api_error' },
    3,
  ],
  [
    'with an error inside',
    { do: 'garble', body: 'data: {"error":{"message":"quota"}}\n\n', contentType: 'text/event-stream' },
    { type: 'api_error', message: 'The LLM endpoint answered 200 with an error: quota' },
    3,
  ],
  [
    'that is JSON with an error',
    { do: 'garble', body: '{"error":{"message":"quota"}}' },
    { type: 'api_error', message: 'The LLM endpoint answered 200 with an error: quota' },
    3,
  ],
  [
    'of HTML',
    { do: 'garble', body: '<!doctype html>', contentType: 'text/html' },
    { type: 'api_error', message: 'The LLM endpoint answered 200 with a page of HTML.' },
    3,
  ],
  [
    'of nothing',
    { do: 'garble', body: '', contentType: 'text/event-stream' },
    { type: 'api_error', message: 'The LLM endpoint answered 200 with an empty body.' },
    3,
  ],
])(
  'a stream %s: a clear error, nothing of it is left, and the next is answered',
  async (what, behaviour, error, asked) => {
    const topic = `a stream ${what}`;
    behave(topic, behaviour);
    const failed = await failureOf('agent_llm', story(topic));
    expect(failed.error).toMatchObject({ code: 'agent_error', errorDetails: error });
    expect(failed.error.errorDetails.message.length).toBeLessThan(1_000);
    expect(fixture.llm.countCalls(topic)).toBe(asked);
    expect(await fixture.call('agent_llm', story(`after ${topic}`))).toMatchObject({ status: 'completed' });
  },
);

test.each<[string, string, (topic: string) => object]>([
  ['a whole reply', 'bench_echo', (text) => ({ text })],
  ['a stream', 'agent_llm', story],
])('of a gigabyte as %s little is read', async (what, tool, args) => {
  // Larger than how long the part that is read may take on a busy machine.
  await fixture.putRole('main', { routes: [fixture.route({ timeoutMs: 20_000 })] });
  const before = fixture.llm.floodedBytes;
  const topic = `gigabyte as ${what}`;
  behave(topic, { do: 'flood' });
  expect((await failureOf(tool, args(topic))).error).toMatchObject({
    code: 'agent_error',
    errorDetails: { type: 'answer_too_large', message: expect.stringContaining('longer than 4194304 bytes') },
  });
  expect(fixture.llm.countCalls(topic), 'and is paid for once').toBe(1);
  // What the sockets of both sides hold comes on top of what is read.
  expect(fixture.llm.floodedBytes - before).toBeLessThan(32 * MEBIBYTE);
});

test('a request with content that the API has no form for is not sent, and fails at once', async () => {
  const words = 'what is said here';
  const sound = { type: 'audio', data: 'AAAA', mimeType: 'audio/x-nonsense' };
  const content = [{ type: 'text', text: words }, sound];
  const failed = await fixture.call('agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'hear',
      serviceType: 'generateText',
      requestParameters: { messages: [{ role: 'user', content }] },
    },
  });
  expect(failed.error).toMatchObject({
    code: 'agent_error',
    errorDetails: { type: 'content_not_supported' },
    report: { attempts: [{ number: 1 }] },
  });
  expect(fixture.llm.countCalls(words)).toBe(0);
});

/** What a caller asks in its own words. */
const asking = (content: readonly object[]) => ({
  delegatedCallDetails: {
    originalCommand: 'see',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content }] },
  },
});

test('a picture by its address never reaches an endpoint: the request fails, and says what to send', async () => {
  const before = fixture.llm.calls.length;
  for (const url of ['http://169.254.169.254/latest/meta-data', 'https://10.0.0.7/a.png']) {
    const failed = await fixture.call('agent_llm', asking([{ type: 'image_url', image_url: { url } }]));
    expect(failed.error).toMatchObject({
      code: 'agent_error',
      errorDetails: { type: 'address_refused', message: expect.stringContaining('as a data: URL') },
      report: { attempts: [{ number: 1 }] },
    });
    expect(failed.error.errorDetails.message).toContain(new URL(url).origin);
  }
  expect(fixture.llm.calls).toHaveLength(before);
});

test('a picture of a type that the endpoint does not know fails with what the endpoint says, after one call', async () => {
  const words = 'what is drawn here';
  behave(words, { do: 'refuse', status: 400, message: 'unknown image/x-nonsense' });
  const picture = { type: 'image', data: 'AAAA', mimeType: 'image/x-nonsense' };
  const failed = await fixture.call('agent_llm', asking([{ type: 'text', text: words }, picture]));
  expect(failed.error).toMatchObject({
    code: 'agent_error',
    errorDetails: {
      type: 'invalid_request_error',
      message: expect.stringContaining('unknown image/x-nonsense'),
    },
  });
  expect(fixture.llm.countCalls(words)).toBe(1);
});

test('a picture that an endpoint gives by its address is left out of the answer, and nobody fetches it', async () => {
  const words = 'draw it';
  const url = 'http://169.254.169.254/latest/meta-data';
  const images = [{ type: 'image_url', image_url: { url } }];
  const choices = [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Drawn.', images } },
  ];
  const body = JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices });
  behave(words, { do: 'garble', body });
  const drawn = await fixture.call('agent_llm', asking([{ type: 'text', text: words }]));
  expect(drawn).toMatchObject({ status: 'completed', response: 'Drawn.' });
  expect(JSON.stringify(drawn)).not.toContain('169.254');
});

test('an endpoint that names a year in Retry-After is asked again after at most 15 minutes', async () => {
  const text = 'a year';
  const headers = { 'retry-after': '31536000' };
  behave(text, { do: 'refuse', status: 429, headers });
  const ended = fixture.call('bench_echo', { text });
  await expect.poll(endsOfSleeps).toHaveLength(1);
  const [due = 0] = await endsOfSleeps();
  const ms = due - Date.now();
  expect(ms).toBeLessThanOrEqual(900_000);
  expect(ms).toBeGreaterThan(600_000);
  const { tasks } = (await fixture.rest('GET', '/tasks?status=working')).body;
  const [{ taskId }] = tasks;
  const { pausedUntil } = await fixture.call('task_status', { taskId });
  expect(Date.parse(pausedUntil)).toBe(due);
  await fixture.call('cancel_task', { taskId });
  expect((await ended).error).toMatchObject({ code: 'task_cancelled' });
  expect(fixture.llm.countCalls(text)).toBe(1);
});

/** When the tasks go on that sleep, by their records. */
async function endsOfSleeps(): Promise<number[]> {
  const redis = new Redis(fixture.baton.redisUrl.replace('unix://', ''));
  const keys = await redis.keys('*:task:*');
  const waits = await Promise.all(keys.map((key) => redis.hget(key, FIELD.waits)));
  redis.disconnect();
  return waits.flatMap((text) => {
    const [, due] = /(\d+);sleep;/.exec(text ?? '') ?? [];
    return due === undefined ? [] : [Number(due)];
  });
}

test("an answer over the tenant's limit is an error of its own", async () => {
  const text = 'too large';
  behave(text, { do: 'say', text: JSON.stringify({ value: 'x'.repeat(600_000) }) });
  expect((await fixture.call('bench_echo', { text })).error).toMatchObject({
    code: 'agent_error',
    errorDetails: { type: 'answer_too_large' },
  });
});

test('no endpoint in a private, local or reserved network is called, by whatever name, unless the network is allowed', async () => {
  const strict = await ProviderFixture.start({ workers: 1, egressAllow: ['127.0.0.7/32'] });
  const dialled: string[] = [];
  const local = createServer((request, response) => {
    dialled.push(request.url ?? '');
    response.end('{}');
  });
  local.listen(0, '0.0.0.0');
  await once(local, 'listening');
  const { port } = local.address() as AddressInfo;
  const hosts = ['127.0.0.1', 'api.localhost', '[::ffff:127.0.0.1]', '2130706433', '169.254.169.254'];
  for (const host of hosts) {
    const baseUrl = `http://${host}:${port}/v1`;
    await strict.putRole('main', { routes: [strict.route({ baseUrl })] });
    const failed = await strict.call('bench_echo', { text: host });
    expect([host, failed.error?.errorDetails?.type]).toEqual([host, 'address_refused']);
  }
  expect(dialled).toEqual([]);
  await strict.putRole('main', {
    routes: [strict.route({ baseUrl: `http://127.0.0.7:${port}/v1` })],
  });
  await strict.call('bench_echo', { text: 'allowed' });
  expect(dialled[0]).toBe('/v1/chat/completions');
  local.close();
  await strict.stop();
}, 60_000);
