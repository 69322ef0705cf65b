import { type AnswerFunction, answerWith, LlmCallFailure, createModelFactory } from '@baton/agent';
import { OperatorStore } from '@baton/store/operator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, postJsonRpc } from '../harness/mcp-client.ts';
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
  fixture.delegate('streamText', {
    messages: [{ role: 'user', content: topic }],
    tools: [{ name: 'look' }],
  });
const streamOf = async (taskId: string): Promise<AnyJson> =>
  (await callTool(fixture.client, 'task_status', { taskId })).streaming?.[0];
const responseOf = async (taskId: string) => (await fixture.waitForOutcome(taskId)).result;

/** Calls that its gateway refused for the rate. */
async function refusedCalls(): Promise<number> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const shown = await (await fetch(`${fixture.baton.url()}/metrics`, { headers })).text();
  return Number(/^baton_refused_calls_total{code="limit_rate"} (\d+)$/m.exec(shown)?.[1] ?? 0);
}

/** The function of the agent, and what Baton shows of the stream after each of its calls. */
function watched(provider: 'openai' | 'anthropic'): { answer: AnswerFunction; shown: AnyJson[] } {
  const llm = createModelFactory({ provider, endpoint: fixture.llm.url, apiKey: 'key' });
  const inner = answerWith(({ request }) => llm(request.modelId ?? 'any'));
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

test.each(['openai', 'openai-responses', 'anthropic'] as const)(
  'a whole reply of %s to a request for a stream is the answer, after one call',
  async (provider) => {
    const topic = `whole reply of ${provider}`;
    fixture.llm.behaviour = () => ({ do: 'say', text: 'All at once.', whole: true, model: 'served' });
    const { taskId } = await ask(topic);
    expect(eventKinds(await fixture.answerAll({ provider }))).toEqual(['claimed', 'answered']);
    expect(await responseOf(taskId)).toMatchObject({ response: 'All at once.', model: 'served' });
    expect(fixture.llm.countCalls(topic)).toBe(1);
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

test('chunks that an agent left are no part of an answer that has no text', async () => {
  const { taskId, interactionId } = await ask('calls alone');
  const agentLLMResponse = { status: 'streaming', sequence: 0, delta: 'Once' };
  await callTool(fixture.client, 'agent_llm', { interactionId, agentLLMResponse });
  await fixture.answerAll({
    async answer() {
      return { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] };
    },
  });
  const { response = '', toolCalls } = await responseOf(taskId);
  expect(response).toBe('');
  expect(toolCalls).toMatchObject([{ name: 'look' }]);
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
      // Other replies of the agent are dropped too: those after the chunk was taken are to its repetitions.
      await waitUntilOrThrow('the chunk is taken', 30_000, async () => {
        return (await streamOf(taskId))?.text === 'one ';
      });
      const lost = proxy.droppedReplies;
      await waitUntilOrThrow('a reply was lost', 30_000, async () => proxy.droppedReplies > lost);
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

test('an agent whose chunks find no room any more answers with its whole text', async () => {
  const { taskId } = await ask('no room');
  const operators = new OperatorStore(fixture.baton.store);
  const room = (storedBytes: number) => operators.update('acme', { limits: { storedBytes } });
  const events = await fixture.answerAll({
    async answer(_request, { onText }) {
      onText?.('the beginning, ');
      await waitUntilOrThrow(
        'a chunk was posted',
        10_000,
        async () => (await streamOf(taskId)) !== undefined,
      );
      await room((await operators.get('acme')).usage.storedBytes);
      onText?.('and the end. '.repeat(1_000));
      return { text: `the beginning, ${'and the end. '.repeat(1_000)}`, model: 'mine' };
    },
  });
  await room(268_435_456);
  expect(eventKinds(events)).toEqual(['claimed', 'answered']);
  const { response } = await responseOf(taskId);
  expect(response).toBe(`the beginning, ${'and the end. '.repeat(1_000)}`);
});

test.each(['before its text is whole', 'once it is'])(
  'an agent whose chunks are refused for the rate, which is used up %s, answers with its whole text at once',
  async (when) => {
    // What is used up once is there again in hours.
    const tenant = when.includes('before') ? 'metered' : 'metered-too';
    const asking = await fixture.baton.addTenant(tenant, { requestsPerSecond: 0.001, burst: 50 });
    const client = await connectMcpClient(fixture.baton.url(), asking);
    const key = await fixture.baton.createKey({ scopes: ['agent'], principal: 'agent' }, tenant);
    const requestParameters = { messages: [{ role: 'user', content: 'metered' }] };
    const delegatedCallDetails = { originalCommand: 'tests', serviceType: 'streamText', requestParameters };
    const { taskId } = await callTool(client, 'agent_llm', { delegatedCallDetails });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const isRefused = async () => (await postJsonRpc(fixture.baton.url(), key, ping)).status === 429;
    const text = 'words '.repeat(1_000);
    const agent = fixture.startAgent({
      key,
      async answer(_request, { onText }) {
        while (!(await isRefused()));
        const before = await refusedCalls();
        onText?.(text);
        if (when.includes('before'))
          await waitUntilOrThrow('a chunk was refused', 10_000, async () => (await refusedCalls()) > before);
        return { text };
      },
    });
    await agent.waitFor(eventMatcher('answered', 'metered'));
    await agent.stop(0);
    // Reading it would be refused.
    const { queries } = fixture.baton.store.tenant(tenant);
    const ended = await queries.inspect({ principal: '', scopes: new Set(['agent']) }, taskId);
    expect([ended.status, JSON.stringify(ended).includes(text)]).toEqual(['completed', true]);
    await client.close();
  },
);

test('a request whose agent was stopped in the middle of its stream is begun anew by the next one', async () => {
  const { taskId } = await ask('stopped halfway');
  let begun = () => {};
  const halfway = new Promise<void>((resolve) => (begun = resolve));
  const first = fixture.startAgent({
    concurrency: 1,
    async answer(_request, { onText, signal }) {
      onText?.('The words of the first');
      await waitUntilOrThrow(
        'a chunk was posted',
        10_000,
        async () => (await streamOf(taskId)) !== undefined,
      );
      begun();
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      return 'never';
    },
  });
  await halfway;
  await first.stop(0);
  expect((await streamOf(taskId)).text).toBe('The words of the first');
  const { answer, shown } = watchedText('All the words of the second');
  await fixture.answerAll({ answer: answer(taskId) });
  expect(shown).toEqual(['All the words']);
  expect((await responseOf(taskId)).response).toBe('All the words of the second');
});

/** An agent's function that gives its text in two pieces, and what Baton shows once the first was posted. */
function watchedText(text: string) {
  const shown: string[] = [];
  const answer =
    (taskId: string): AnswerFunction =>
    async (_request, { onText }) => {
      onText?.(text.slice(0, 13));
      await waitUntilOrThrow('the first piece is shown', 10_000, async () => {
        const { text: now } = await streamOf(taskId);
        if (now === text.slice(0, 13)) shown.push(now);
        return now === text.slice(0, 13);
      });
      onText?.(text.slice(13));
      return { text };
    };
  return { answer, shown };
}
