import { type AnswerFunction, answerWith, LlmCallFailure, createModelFactory } from '@baton/agent';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { LossyProxy } from '../proxies/lossy-proxy.ts';
import { AgentFixture, eventKinds, eventMatcher } from './agent-fixture.ts';

/** Streamed answers of an agent: posted as they come, and never mixed with those of another try or another agent. */
let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture.stop());
afterEach(async () => {
  await fixture.stopAgents();
  fixture.llm.behaviour = () => VALID_ANSWER;
});

const ask = (topic: string) =>
  fixture.delegate('streamText', { messages: [{ role: 'user', content: topic }] });
const streamOf = async (taskId: string): Promise<AnyJson> =>
  (await callTool(fixture.client, 'task_status', { taskId })).streaming?.[0];
const responseOf = async (taskId: string) => (await fixture.waitForOutcome(taskId)).result;

/** The function of the agent, and what Baton shows of the stream after each of its calls. */
function watched(provider: 'openai' | 'anthropic'): { answer: AnswerFunction; shown: AnyJson[] } {
  const llm = createModelFactory({ provider, endpoint: fixture.llm.url, apiKey: 'key' });
  const inner = answerWith(({ request }) => llm(request.modelId));
  const shown: AnyJson[] = [];
  return {
    shown,
    async answer(request, call) {
      try {
        return await inner(request, call);
      } finally {
        await waitUntilOrThrow('a chunk was posted', 10_000, async () => {
          const stream = await streamOf(request.taskId);
          if (stream !== undefined) shown.push(stream);
          return stream !== undefined;
        });
      }
    },
  };
}

test('text can be read in Baton while the function still waits for the rest', async () => {
  const { taskId } = await ask('as it comes');
  await fixture.answerAll({
    async answer(_request, { onText }) {
      onText?.('Once ');
      onText?.('upon');
      await waitUntilOrThrow('the beginning is shown', 10_000, async () => {
        return (await streamOf(taskId))?.text === 'Once upon';
      });
      onText?.(' a time');
      return { text: 'Once upon a time', model: 'mine' };
    },
  });
  expect(await responseOf(taskId)).toMatchObject({ response: 'Once upon a time', model: 'mine' });
});

test.each(['openai', 'anthropic'] as const)(
  'a long stream of %s arrives whole, with characters that lie on the cuts',
  async (provider) => {
    // Of odd length before it, so that cuts at even places are within pairs.
    const text = `!${'😀'.repeat(20_000)}`;
    fixture.llm.behaviour = () => ({ do: 'say', text });
    const { answer, shown } = watched(provider);
    const { taskId } = await ask(`long stream of ${provider}`);
    expect(eventKinds(await fixture.answerAll({ answer }))).toEqual(['claimed', 'answered']);
    expect(shown).toMatchObject([{ complete: false }]);
    expect((await responseOf(taskId)).response === text).toBe(true);
  },
);

test.each(['openai', 'anthropic'] as const)(
  'a stream of %s that stops halfway, after chunks of it were posted, leaves nothing in the next one',
  async (provider) => {
    const [first, second] = ['first '.repeat(3_000), 'second '.repeat(3_000)];
    fixture.llm.behaviour = ({ attempt }) =>
      attempt === 1 ? { do: 'stop-halfway', text: first } : { do: 'say', text: second };
    const { answer, shown } = watched(provider);
    const { taskId } = await ask(`stops halfway by ${provider}`);
    const events = await fixture.answerAll({ answer });
    expect(eventKinds(events)).toEqual(['claimed', 'retrying', 'answered']);
    expect(shown[0].text).toMatch(/^(first )+/);
    expect((await responseOf(taskId)).response === second).toBe(true);
  },
);

test('a short answer after a try of which chunks were posted is that answer alone', async () => {
  let tries = 0;
  const { taskId } = await ask('short at last');
  await fixture.answerAll({
    async answer(_request, { onText }) {
      if (++tries === 2) return { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] };
      onText?.('x'.repeat(5_000));
      await waitUntilOrThrow(
        'a chunk was posted',
        10_000,
        async () => (await streamOf(taskId)) !== undefined,
      );
      throw new LlmCallFailure('api_error', 'cut off', { kind: 'passing' });
    },
  });
  const { response = '', toolCalls } = await responseOf(taskId);
  expect(response).toBe('');
  expect(toolCalls).toMatchObject([{ name: 'look' }]);
});

test.each([
  ['a beginning of what it left', 'Once'],
  ['what it left and more', 'Once upon a time'],
  ['something else', 'Never '],
])('chunks that an agent left are no part of the answer of the next one: %s', async (what, text) => {
  const { taskId, interactionId } = await ask(what);
  for (const [sequence, delta] of ['Once', ' upon'].entries()) {
    const agentLLMResponse = { status: 'streaming', sequence, delta };
    await callTool(fixture.client, 'agent_llm', { interactionId, agentLLMResponse });
  }
  await fixture.answerAll({
    async answer(_request, { onText }) {
      onText?.(text);
      // Long enough for a chunk to be posted in the second case only.
      if (what.endsWith('more')) await new Promise((resolve) => setTimeout(resolve, 400));
      return { text };
    },
  });
  expect((await responseOf(taskId)).response).toBe(text);
});

test('a function that returns another text than it streamed is answered for with what it returned', async () => {
  const { taskId } = await ask('changed at the end');
  await fixture.answerAll({
    async answer(_request, { onText }) {
      onText?.(' padded '.repeat(1_000));
      await waitUntilOrThrow(
        'a chunk was posted',
        10_000,
        async () => (await streamOf(taskId)) !== undefined,
      );
      return 'trimmed';
    },
  });
  expect((await responseOf(taskId)).response).toBe('trimmed');
});

test('a chunk whose reply is lost is posted again, and is in the answer once', async () => {
  const proxy = await LossyProxy.inFrontOf(fixture.baton.url());
  const { taskId } = await ask('lost replies');
  const agent = fixture.startAgent({
    url: `${proxy.url}/mcp`,
    concurrency: 1,
    async answer(_request, { onText }) {
      proxy.dropReplies();
      onText?.('one ');
      await waitUntilOrThrow('a reply was lost', 10_000, async () => proxy.droppedReplies > 1);
      expect((await streamOf(taskId)).text).toBe('one ');
      onText?.('two');
      proxy.forwardAll();
      return { text: 'one two' };
    },
  });
  await agent.waitFor(eventMatcher('answered', 'lost replies'));
  await agent.stop();
  await proxy.close();
  expect((await responseOf(taskId)).response).toBe('one two');
});
