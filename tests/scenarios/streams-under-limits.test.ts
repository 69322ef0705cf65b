import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import { OperatorStore } from '@baton/store/operator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  callToolForError,
  connectMcpClient,
  postJsonRpc,
} from '../harness/mcp-client.ts';
import { seededRandom } from '../harness/seeded-random.ts';

/** Streamed answers in several hands, in any order, and for which there is no room: an answer is never lost to its chunks. */
const ROOM = { storedBytes: 268_435_456, answerBytes: 524_288 };
let baton: InProcessDeployment;
let agents: Client[];

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  const keys = await Promise.all([0, 1].map(() => baton.createKey({ scopes: ['mcp', 'agent'] })));
  agents = await Promise.all(keys.map((key, at) => connectMcpClient(baton.url(at), key)));
});
afterEach(() => limit(ROOM));
afterAll(() => baton?.stop());

const limit = (limits: object) => new OperatorStore(baton.store).update('acme', { limits });
const storedBytes = async () => (await new OperatorStore(baton.store).get('acme')).usage.storedBytes;

async function open(): Promise<{ interactionId: string; taskId: string }> {
  const requestParameters = { messages: [{ role: 'user', content: 'A story' }] };
  const delegatedCallDetails = { originalCommand: 'story', serviceType: 'streamText', requestParameters };
  return callTool(agents[0]!, 'agent_llm', { delegatedCallDetails });
}

/** What agent `at` is told of a post: the confirmation, or an error with its code. */
async function post(at: number, interactionId: string, agentLLMResponse: object): Promise<AnyJson> {
  const args = { interactionId, agentLLMResponse, waitMs: 20_000 };
  const { structuredContent } = await agents[at % 2]!.callTool({ name: 'agent_llm', arguments: args });
  return structuredContent as AnyJson;
}

const chunk = (at: number, interactionId: string, stream: number, sequence: number, delta: string) =>
  post(at, interactionId, { status: 'streaming', stream, sequence, delta });

test(`a stream of two agents at once, in random order and each chunk twice, ends as the words of one, FC_SEED=${randomSeed}`, async () => {
  const random = seededRandom(`streams ${randomSeed}`);
  for (let round = 0; round < 5; round++) {
    const { interactionId, taskId } = await open();
    const texts = [0, 1].map((agent) => Array.from({ length: 12 }, (_, n) => `${agent}.${n} `));
    const posts = texts.flatMap((pieces, agent) =>
      pieces.flatMap((delta, n) =>
        [agent, agent + 1].map((at) => [at, interactionId, agent, n, delta] as const),
      ),
    );
    const shuffled = posts.map((one) => ({ one, at: random.next() })).toSorted((a, b) => a.at - b.at);
    const replies = await Promise.all(shuffled.map(({ one }) => chunk(...one)));
    for (const { error } of replies)
      if (error) expect(error).toMatchObject({ code: 'invalid_arguments', stream: 1 });
    const { streaming } = await callTool(agents[1]!, 'task_status', { taskId });
    expect(streaming).toMatchObject([{ text: texts[1]!.join(''), chunks: 12 }]);
    const late = await post(0, interactionId, { status: 'success', stream: 0, chunks: 12, data: {} });
    expect(late.error).toMatchObject({ code: 'invalid_arguments', stream: 1 });
    const { outcome } = await post(1, interactionId, { status: 'success', stream: 1, chunks: 12, data: {} });
    expect(outcome.result.response).toBe(texts[1]!.join(''));
  }
});

test('a chunk for which the tenant has no room is refused by that name, and the whole answer is taken in their place', async () => {
  const { interactionId, taskId } = await open();
  await chunk(0, interactionId, 0, 0, 'Once upon ');
  await limit({ storedBytes: await storedBytes() });
  const refused = await chunk(0, interactionId, 0, 1, 'a time');
  expect(refused.error).toMatchObject({ code: 'limit_storage', limit: 'storedBytes' });
  expect((await callTool(agents[1]!, 'task_status', { taskId })).status).toBe('input_required');
  const data = { text: 'Once upon a time' };
  const misfit = await post(0, interactionId, { status: 'success', data });
  expect(misfit.error).toMatchObject({ code: 'invalid_arguments', field: 'agentLLMResponse.data.text' });
  expect(misfit.error.message).toContain('post the whole answer with stream 1 and chunks 0');
  const whole = { status: 'success', stream: 1, chunks: 0, data };
  const { outcome } = await post(1, interactionId, whole);
  expect(outcome.result.response).toBe(data.text);
  expect(await post(0, interactionId, whole)).toMatchObject({ replayed: true });
});

test('an answer of a stream that is no higher, or that claims chunks, never takes the place of chunks', async () => {
  const { interactionId } = await open();
  await chunk(0, interactionId, 3, 0, 'kept');
  for (const beside of [
    { stream: 3, chunks: 0 },
    { stream: 2, chunks: 0 },
    { stream: 4 },
    { stream: 4, chunks: 1 },
  ])
    expect(
      (await post(1, interactionId, { status: 'success', data: { text: 'other' }, ...beside })).error,
    ).toMatchObject({
      code: 'invalid_arguments',
      stream: 3,
    });
  const { outcome } = await post(1, interactionId, { status: 'success', data: {} });
  expect(outcome.result.response).toBe('kept');
});

test('chunks are bounded in number and in bytes, and an answer that fits is taken all the same', async () => {
  await limit({ answerBytes: 2_048 });
  for (const [delta, most] of [
    ['', 2_048 / 64],
    ['x'.repeat(500), 4],
  ] as const) {
    const { interactionId } = await open();
    for (let sequence = 0; sequence < most; sequence++)
      expect(await chunk(sequence, interactionId, 0, sequence, delta)).not.toHaveProperty('error');
    const refused = await callToolForError(agents[0]!, 'agent_llm', {
      interactionId,
      agentLLMResponse: { status: 'streaming', sequence: most, delta },
    });
    expect(refused).toMatchObject({ code: 'limit_size', limit: 'answerBytes', most: 2_048 });
    const whole = { status: 'success', stream: 1, chunks: 0, data: { text: 'short' } };
    expect((await post(1, interactionId, whole)).outcome.result.response).toBe('short');
  }
});

test('a chunk is refused as any call is once the rate is used up, however it is posted, and the answer is taken', async () => {
  const key = await baton.addTenant('thrifty', { requestsPerSecond: 0.001, burst: 4 });
  const rpc = (name: string, args: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const send = (body: unknown) => postJsonRpc(baton.url(), key, body);
  const requestParameters = { messages: [{ role: 'user', content: 'A story' }] };
  const delegatedCallDetails = { originalCommand: 'story', serviceType: 'streamText', requestParameters };
  const opened = await send(rpc('agent_llm', { delegatedCallDetails }));
  const { interactionId } = opened.body.result.structuredContent;
  const words = { status: 'streaming', sequence: 0, delta: 'Once' };
  const answer = (agentLLMResponse: unknown) => rpc('agent_llm', { interactionId, agentLLMResponse });
  for (let call = 0; call < 3; call++) expect((await send(answer(words))).status).toBe(200);

  for (const body of [answer(words), answer(JSON.stringify(words)), [answer(words)]]) {
    const { status, text } = await send(body);
    expect([status, text]).toEqual([429, expect.stringMatching(/"retryAfterMs":\d.*"code":"limit_rate"/)]);
  }
  const byRest = await fetch(`${baton.url()}/v1/interactions/${interactionId}/answer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agentLLMResponse: words }),
  });
  expect([byRest.status, await byRest.json()]).toEqual([
    429,
    expect.objectContaining({ code: 'limit_rate' }),
  ]);
  const taken = await send(answer({ status: 'success', data: { text: 'Once' } }));
  expect(taken.body.result.structuredContent.outcome.status).toBe('completed');
});
