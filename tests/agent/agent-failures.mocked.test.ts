import { BatonError } from '@baton/protocol';
import { type AnswerFunction, LlmCallFailure, answerWith, createModelFactory } from '@baton/agent';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { successAnswer, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { type LlmBehaviour, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { LossyProxy } from '../proxies/lossy-proxy.ts';
import { eventMatcher, eventKinds, AgentFixture } from './agent-fixture.ts';

// Its pauses are a twentieth of what they are elsewhere.
vi.mock(import('../../packages/agent/src/timing/pauses.ts'), async (original) => {
  const { PAUSES } = await original();
  const brief = { firstMs: 25, mostMs: 750 };
  return {
    PAUSES: { ...PAUSES, failedClaim: brief, failedCall: brief, failedProbe: brief, probeIntervalMs: 50 },
  } as never;
});

// And so are Baton's, before it asks again.
vi.mock(import('../../packages/engine/src/agent-call/recall-pause.ts'), async (original) => {
  const { recallPauseMs, ...others } = await original();
  return { ...others, recallPauseMs: (...args) => Math.ceil(recallPauseMs(...args) / 20) };
});

/** What an agent does when its LLM endpoint, or Baton, is not what it should be. */
let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture.stop());
afterEach(async () => {
  await fixture.stopAgents();
  fixture.llm.behaviour = () => VALID_ANSWER;
});

/** Badly the first time, well from then on. */
const atFirst = (manner: LlmBehaviour) =>
  (fixture.llm.behaviour = ({ attempt }) => (attempt === 1 ? manner : VALID_ANSWER));

describe('a transient failure', () => {
  test.each<[string, LlmBehaviour, string]>([
    ['a 500', { do: 'refuse', status: 500 }, 'api_error'],
    ['an overloaded 529', { do: 'refuse', status: 529 }, 'overloaded_error'],
    ['a body that is no JSON', { do: 'garble' }, 'api_error'],
    ['a connection that is reset', { do: 'reset' }, 'api_error'],
    ['a connection that is reset halfway', { do: 'reset', halfway: true }, 'api_error'],
    ['an empty answer', { do: 'say', text: '' }, 'api_error'],
  ])('is tried again: %s', async (what, manner, type) => {
    atFirst(manner);
    const { taskId } = await fixture.parkEcho(what);
    const events = await fixture.answerAll();
    expect(eventKinds(events)).toEqual(['claimed', 'retrying', 'answered']);
    expect(events[1]).toMatchObject({ type });
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
    expect(await fixture.listInteractions(taskId)).toHaveLength(1);
  });

  describe.each(['openai', 'anthropic'] as const)('in a stream of %s', (provider) => {
    test.each<[string, LlmBehaviour]>([
      ['that stops halfway', { do: 'stop-halfway' }],
      ['whose connection is reset halfway', { do: 'reset', halfway: true }],
      ['that was refused', { do: 'refuse', status: 503 }],
    ])('%s, is tried again, and nothing of the first half is left', async (what, manner) => {
      const topic = `${provider} ${what}`;
      atFirst(manner);
      const { taskId } = await fixture.delegate('streamText', {
        messages: [{ role: 'user', content: topic }],
      });
      const events = await fixture.answerAll({ provider });
      expect(eventKinds(events)).toEqual(['claimed', 'retrying', 'answered']);
      expect((await fixture.waitForOutcome(taskId)).result.response).toBe(`answer to ${topic}`);
    });
  });

  test('of an endpoint that never answers is retried after the time-out', async () => {
    atFirst({ do: 'hang' });
    await fixture.parkEcho('hangs once');
    const events = await fixture.answerAll({ timeoutMs: 300 });
    expect(eventKinds(events)).toEqual(['claimed', 'retrying', 'answered']);
    expect(events[1]).toMatchObject({ type: 'timeout_error' });
  });
});

describe('a permanent failure', () => {
  test.each<[string, LlmBehaviour, string]>([
    ['rate limits', { do: 'refuse', status: 429 }, 'rate_limit_error'],
    ['an endpoint that is overloaded', { do: 'refuse', status: 503 }, 'overloaded_error'],
    ['an endpoint that never answers', { do: 'hang' }, 'timeout_error'],
  ])(
    'of one request is told to Baton by its type, and its task ends rather than hangs: %s',
    async (what, manner, type) => {
      fixture.llm.behaviour = () => manner;
      const { taskId } = await fixture.parkEcho(what);
      const events = await fixture.answerAll({ tries: 2, timeoutMs: 200 });
      // Baton asks again twice: it is no agent's last word.
      const failed = events.filter((event) => event.kind === 'failed' && event.request.taskId === taskId);
      expect(failed).toHaveLength(3);
      expect(failed[0]).toMatchObject({ type });
      expect(failed[2]).toMatchObject({ task: { status: 'failed', error: { code: 'agent_error' } } });
      expect(fixture.llm.countCalls(what)).toBe(6);
      expect(await fixture.waitForOutcome(taskId)).toMatchObject({
        status: 'failed',
        error: { code: 'agent_error', errorDetails: { type } },
      });
    },
  );

  test('of the request itself fails the task without a retry', async () => {
    fixture.llm.behaviour = () => ({ do: 'refuse', status: 400, message: 'prompt is too long' });
    const { taskId } = await fixture.parkEcho('too long');
    expect(eventKinds(await fixture.answerAll())).toEqual(['claimed', 'failed']);
    const { error } = await fixture.waitForOutcome(taskId);
    expect(error).toMatchObject({ code: 'agent_error', errorDetails: { type: 'invalid_request_error' } });
    expect(error.message).toContain('prompt is too long');
  });
});

describe('a failure that a request may have caused', () => {
  const delegate = (modelId: string, content: string, more: object = {}) =>
    fixture.delegate('generateText', { modelId, messages: [{ role: 'user', content }], ...more });

  test.each([401, 402, 403, 404])(
    'by naming a model that the endpoint refuses with %i ends its own task and never the agent',
    async (status) => {
      fixture.llm.behaviour = ({ model }) =>
        model === 'not-yours' ? { do: 'refuse', status, message: 'not for this key' } : VALID_ANSWER;
      const agent = fixture.startAgent();
      const { taskId } = await delegate('not-yours', `poison ${status}`);
      const failed = await agent.waitFor(eventMatcher('failed', `poison ${status}`));
      expect(failed).toMatchObject({ message: expect.stringContaining(`answered ${status}`) });
      expect(await fixture.waitForOutcome(taskId)).toMatchObject({ error: { code: 'agent_error' } });
      await delegate('theirs', `after ${status}`);
      await agent.waitFor(eventMatcher('answered', `after ${status}`));
      await agent.stop();
    },
  );

  test('a Retry-After of one request never delays another', async () => {
    fixture.llm.behaviour = ({ topic }) =>
      topic === 'heavy' ? { do: 'refuse', status: 429, headers: { 'retry-after': '600' } } : VALID_ANSWER;
    const agent = fixture.startAgent({ concurrency: 1 });
    const { taskId } = await delegate('theirs', 'heavy');
    await agent.waitFor(eventMatcher('failed', 'heavy'));
    await delegate('theirs', 'light');
    await agent.waitFor(eventMatcher('answered', 'light'));
    expect(agent.events.filter(eventMatcher('holding'))).toEqual([]);
    await agent.stop();
    await fixture.cancelTask(taskId).catch(() => {});
  });

  test("an option that one principal's request had refused is never left out of another's", async () => {
    fixture.llm.behaviour = ({ body }) =>
      body.temperature > 5
        ? { do: 'refuse', status: 400, message: 'temperature must be at most 2' }
        : VALID_ANSWER;
    const agent = fixture.startAgent();
    await delegate('theirs', 'hot', { temperature: 9 });
    await agent.waitFor(eventMatcher('answered', 'hot'));
    const client = await connectMcpClient(
      fixture.baton.url(0),
      await fixture.baton.createKey({ principal: 'other' }),
    );
    const requestParameters = {
      modelId: 'theirs',
      temperature: 0.3,
      messages: [{ role: 'user', content: 'mild' }],
    };
    const delegatedCallDetails = { originalCommand: 'x', serviceType: 'generateText', requestParameters };
    await callTool(client, 'agent_llm', { delegatedCallDetails });
    await agent.waitFor(eventMatcher('answered', 'mild'));
    expect(fixture.llm.callsAbout('mild').map(({ body }) => body.temperature)).toEqual([0.3]);
    await agent.stop();
    await client.close();
  });

  test('what names an address, a header or a credential never reaches the endpoint, and tokens are capped', async () => {
    const llm = createModelFactory({
      provider: 'openai',
      endpoint: fixture.llm.url,
      apiKey: 'key-of-the-llm',
    });
    await delegate('theirs', 'smuggles', {
      maxTokens: 5_000_000,
      headers: { 'x-smuggled': 'x' },
      api_key: 'smuggled',
      base_url: 'http://smuggled.example',
      extra_body: { smuggled: true },
      providerOptions: { openai: { smuggled: true } },
    });
    await fixture.answerAll({
      answer: answerWith(({ request }) => llm(request.modelId ?? 'any'), { maxTokens: 100 }),
    });
    const [asked] = fixture.llm.callsAbout('smuggles');
    expect(JSON.stringify([asked?.headers, asked?.body])).not.toContain('smuggled');
    expect(asked?.body.max_tokens).toBe(100);
    expect(asked?.headers.authorization).toBe('Bearer key-of-the-llm');
  });
});

describe('a parameter that the model does not support', () => {
  test.each([
    ['temperature', "Unsupported value: 'temperature' does not support 0.2 with this model."],
    ['max_tokens', "Unsupported parameter: 'max_tokens' is not supported with this model."],
    ['response_format', "'response_format.type' must be 'json_schema' or 'text'"],
  ])('is left out from then on: %s', async (name, message) => {
    fixture.llm.behaviour = ({ body }) =>
      name in body ? { do: 'refuse', status: 400, message } : VALID_ANSWER;
    const agent = fixture.startAgent();
    for (const topic of [`${name} first`, `${name} second`]) {
      await fixture.parkEcho(topic);
      await agent.waitFor(eventMatcher('answered', topic));
    }
    await agent.stop();
    // A format is asked for in two ways before it is left out.
    expect(fixture.llm.countCalls(`${name} first`)).toBe(name === 'response_format' ? 3 : 2);
    expect(fixture.llm.countCalls(`${name} second`)).toBe(1);
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    ['takes schemas', '', ['json_schema'], ['json_schema']],
    [
      'takes no schema',
      "Invalid 'response_format': json_schema is not supported",
      ['json_schema', 'json_object'],
      ['json_object'],
    ],
  ])(
    'an endpoint that %s is asked for the strictest format that it takes',
    async (what, message, first, then) => {
      fixture.llm.behaviour = ({ body }) =>
        message !== '' && body.response_format?.type === 'json_schema'
          ? { do: 'refuse', status: 400, message }
          : VALID_ANSWER;
      const agent = fixture.startAgent();
      const formats = (topic: string) =>
        fixture.llm.callsAbout(topic).map(({ body }) => body.response_format?.type ?? 'none');
      for (const topic of [`${what} first`, `${what} second`]) {
        await fixture.parkEcho(topic);
        await agent.waitFor(eventMatcher('answered', topic));
      }
      await agent.stop();
      expect([formats(`${what} first`), formats(`${what} second`)]).toEqual([first, then]);
      const [asked] = fixture.llm.callsAbout(`${what} first`);
      expect(asked?.body.response_format.json_schema).toMatchObject({
        strict: false,
        schema: { type: 'object', required: ['value'] },
      });
    },
  );
});

test('a parameter that the model refuses to two requests at once is left out of both', async () => {
  fixture.llm.behaviour = ({ body }) =>
    'max_tokens' in body
      ? { do: 'refuse', status: 400, message: "'max_tokens' is not supported" }
      : VALID_ANSWER;
  const tasks = [await fixture.parkEcho('at once a'), await fixture.parkEcho('at once b')];
  await fixture.answerAll();
  for (const { taskId } of tasks)
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
});

describe('a custom answer function', () => {
  const serve = (answer: AnswerFunction) => fixture.answerAll({ answer, tries: 2 });

  test('reports the kind of a failure by LlmCallFailure', async () => {
    const { taskId } = await fixture.parkEcho('own failure');
    await serve(async () => {
      throw new LlmCallFailure('out_of_budget', 'No money is left.');
    });
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({
      error: { code: 'agent_error', errorDetails: { type: 'out_of_budget', message: 'No money is left.' } },
    });
  });

  test('that throws never stops the agent, and is not retried', async () => {
    let calls = 0;
    const { taskId } = await fixture.parkEcho('own bug');
    const events = await serve(async (request) => {
      // What earlier tests left may be asked again meanwhile.
      if (request.taskId !== taskId) return { object: { value: 'not mine' } };
      calls++;
      throw new TypeError('x is not a function');
    });
    expect(calls).toBe(3);
    const failed = events.filter((event) => event.kind === 'failed' && event.request.taskId === taskId);
    expect(failed).toHaveLength(3);
  });

  test('that returns nothing, or more than Baton accepts, fails with a named error', async () => {
    const { taskId } = await fixture.parkEcho('own nothing');
    await serve(async () => undefined);
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({
      error: { errorDetails: { type: 'api_error' } },
    });
    const { taskId: large } = await fixture.parkEcho('own too much');
    await serve(async () => ({ value: 'x'.repeat(600_000) }));
    expect(await fixture.waitForOutcome(large)).toMatchObject({
      error: { errorDetails: { type: 'answer_refused' } },
    });
  });

  test('that ignores its AbortSignal is abandoned at the time-out', async () => {
    const { taskId } = await fixture.parkEcho('own endless');
    const agent = fixture.startAgent({ answer: () => new Promise(() => {}), timeoutMs: 200, tries: 1 });
    await agent.waitFor(eventMatcher('failed', 'own endless'));
    await agent.stop(0);
    // Baton asks again after a time-out; the agents of the next tests would take that request.
    await fixture.cancelTask(taskId);
  });
});

describe('Baton', () => {
  test('that refuses the key stops the agent with the error code', async () => {
    const agent = fixture.startAgent({ key: 'bt_acme_nobody_nothing' });
    const error = await agent.done.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BatonError);
    expect(error).toMatchObject({ code: 'unauthenticated' });
  });

  // The SDK's client takes no notice of a stream that breaks: on a slow machine the claim has one by then, and ends by its 30 s.
  test('that is unreachable gets the answer when it is reachable again', { timeout: 90_000 }, async () => {
    const proxy = await LossyProxy.inFrontOf(fixture.baton.url());
    const agent = fixture.startAgent({ url: `${proxy.url}/mcp` });
    fixture.llm.behaviour = () => {
      proxy.refuseAll();
      return VALID_ANSWER;
    };
    const { taskId } = await fixture.parkEcho('nobody at the proxy');
    await agent.waitFor(eventMatcher('unreachable'));
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'input_required' });
    proxy.forwardAll();
    await agent.waitFor(eventMatcher('answered', 'nobody at the proxy'));
    await agent.stop();
    expect(fixture.llm.countCalls('nobody at the proxy')).toBe(1);
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
    await proxy.close();
  });

  test('whose confirmation was lost gets the same answer again, which is accepted once', async () => {
    const proxy = await LossyProxy.inFrontOf(fixture.baton.url());
    const agent = fixture.startAgent({ url: `${proxy.url}/mcp`, concurrency: 1 });
    fixture.llm.behaviour = () => {
      proxy.dropReplies();
      return VALID_ANSWER;
    };
    const { taskId } = await fixture.parkEcho('said twice');
    await fixture.waitForEnd(taskId);
    expect(proxy.droppedReplies).toBeGreaterThan(0);
    proxy.forwardAll();
    await agent.waitFor(eventMatcher('answered', 'said twice'));
    await agent.stop();
    expect(fixture.llm.countCalls('said twice')).toBe(1);
    expect(eventKinds(agent.events).filter((kind) => kind === 'answered')).toHaveLength(1);
    expect(await fixture.listInteractions(taskId)).toHaveLength(1);
    await proxy.close();
  });

  test('that accepted another answer first is not called again', async () => {
    const { taskId, interactionId } = await fixture.parkEcho('too late');
    let answered: Promise<unknown> | undefined;
    fixture.llm.behaviour = () => {
      const agentLLMResponse = successAnswer({ value: 'by hand' });
      answered = callTool(fixture.client, 'agent_llm', { interactionId, agentLLMResponse });
      return { do: 'say', afterMs: 500 };
    };
    const events = await fixture.answerAll();
    await answered;
    const end = events.find(eventMatcher('superseded', 'too late'));
    expect(end).toMatchObject({ code: 'interaction_already_answered' });
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ result: { value: 'by hand' } });
  });

  test('that cancelled the request is not called again', async () => {
    const { taskId } = await fixture.parkEcho('cancelled');
    let cancelled: Promise<void> | undefined;
    fixture.llm.behaviour = () => {
      cancelled = fixture.cancelTask(taskId);
      return { do: 'say', afterMs: 500 };
    };
    const events = await fixture.answerAll();
    await cancelled;
    const end = events.find(eventMatcher('superseded', 'cancelled'));
    expect(end).toMatchObject({ code: 'interaction_cancelled' });
  });

  test('that is unreachable is retried until it answers, and with `once` only for a limited time', async () => {
    const away = fixture.startAgent({ url: 'http://127.0.0.1:9/mcp' });
    await away.waitFor(eventMatcher('unreachable'));
    await away.stop();
    await expect(
      fixture.startAgent({ url: 'http://127.0.0.1:9/mcp', once: true }).done,
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
