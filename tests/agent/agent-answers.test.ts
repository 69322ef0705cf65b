import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callTool } from '../harness/mcp-client.ts';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { eventMatcher, eventKinds, AgentFixture } from './agent-fixture.ts';

/** An agent's answers to each kind of request, with each LLM API. */
let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  fixture.llm.behaviour = () => VALID_ANSWER;
});

describe.each(['openai', 'anthropic'] as const)('by an endpoint of the kind %s', (provider) => {
  const answerAll = () => fixture.answerAll({ provider });

  test('a request for an object is answered with one, and the LLM received schema, limits and messages', async () => {
    const topic = `object by ${provider}`;
    const { taskId } = await fixture.parkEcho(topic);
    const events = await answerAll();
    expect(eventKinds(events)).toEqual(['claimed', 'answered']);
    expect(events[1]).toMatchObject({ usage: { inputTokens: 21, outputTokens: 13 } });
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({
      status: 'completed',
      result: { value: `answer to ${topic}` },
    });
    const [asked] = fixture.llm.callsAbout(topic);
    expect(asked).toMatchObject({ api: provider, model: 'any' });
    expect(asked?.system).toContain('"properties":{"value":{"type":"string"}}');
    expect(asked?.body.temperature).toBe(0.2);
    expect(asked?.body.max_tokens).toBe(64_000);
    const credential = provider === 'openai' ? asked?.headers.authorization : asked?.headers['x-api-key'];
    expect(credential).toContain('key-of-the-llm');
  });

  test.each(['generateText', 'streamText'])(
    'a %s request is answered in words, with model and usage',
    async (kind) => {
      const topic = `${kind} by ${provider}`;
      const { taskId } = await fixture.delegate(kind, {
        modelId: 'some-model',
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: [{ type: 'text', text: topic }] },
        ],
      });
      await answerAll();
      expect(await fixture.waitForOutcome(taskId)).toMatchObject({
        status: 'completed',
        result: {
          response: `answer to ${topic}`,
          model: 'some-model',
          usage: { inputTokens: 21, outputTokens: 13 },
        },
      });
      const [asked] = fixture.llm.callsAbout(topic);
      expect(asked?.system).toBe('Be short.');
      expect(asked?.body.stream === true).toBe(kind === 'streamText');
    },
  );

  test.each(['generateText', 'streamText'])(
    "the tools of a %s request are offered, and the model's tool calls are returned unchanged and never run",
    async (kind) => {
      const topic = `tools of ${kind} by ${provider}`;
      const toolCall = { id: 'call_1', name: 'weather', arguments: { city: 'Čačak', days: 2 } };
      fixture.llm.behaviour = () => ({ do: 'say', text: '', toolCalls: [toolCall] });
      const parameters = {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
      };
      const tool = { type: 'function', function: { name: 'weather', description: 'Forecast', parameters } };
      const { taskId } = await fixture.delegate(kind, {
        modelId: 'some-model',
        messages: [{ role: 'user', content: topic }],
        tools: [tool],
      });
      await answerAll();
      const { result } = await fixture.waitForOutcome(taskId);
      expect(result.toolCalls).toEqual([toolCall]);
      const [asked] = fixture.llm.callsAbout(topic);
      expect(JSON.stringify(asked?.body.tools)).toContain('"city"');
    },
  );

  test('images reach the model as bytes, and an address never does, since it may name what only the endpoint can reach', async () => {
    const topic = `pictures by ${provider}`;
    const data = Buffer.from('not much of a picture').toString('base64');
    await fixture.delegate('generateText', {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: topic },
            { type: 'image', data, mimeType: 'image/png' },
          ],
        },
      ],
    });
    expect(eventKinds(await answerAll())).toEqual(['claimed', 'answered']);
    expect(JSON.stringify(fixture.llm.callsAbout(topic)[0]?.messages)).toContain(data);
    const before = fixture.llm.calls.length;
    const url = 'http://169.254.169.254/latest/meta-data/';
    for (const block of [
      { type: 'image_url', image_url: { url } },
      { type: 'image', data: url },
    ]) {
      const { taskId } = await fixture.delegate('generateText', {
        messages: [{ role: 'user', content: [block] }],
      });
      expect(eventKinds(await answerAll())).toEqual(['claimed', 'failed']);
      expect(await fixture.waitForOutcome(taskId)).toMatchObject({
        error: { code: 'agent_error', errorDetails: { type: 'address_refused' } },
      });
    }
    expect(fixture.llm.calls.slice(before)).toEqual([]);
  });

  test('an earlier call of a tool, and its result, reach the model as such', async () => {
    const topic = `history by ${provider}`;
    const call = {
      id: 'call_9',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Bar"}' },
    };
    await fixture.delegate('generateText', {
      messages: [
        { role: 'user', content: topic },
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_9', content: 'sunny' },
      ],
    });
    expect(eventKinds(await answerAll())).toEqual(['claimed', 'answered']);
    const [asked] = fixture.llm.callsAbout(topic);
    // Anthropic's API refuses turns of tools in a request without tools.
    if (provider === 'anthropic') {
      expect(asked?.body.tools).toMatchObject([{ name: 'weather' }]);
      expect(asked?.body.tool_choice).toEqual({ type: 'none' });
    } else expect(asked?.body).not.toHaveProperty('tools');
    const [, assistant, result] = asked?.messages ?? [];
    expect(JSON.stringify(assistant)).toContain('call_9');
    expect(JSON.stringify(assistant)).toContain('Bar');
    expect(JSON.stringify(result)).toContain('call_9');
    expect(JSON.stringify(result)).toContain('sunny');
  });
});

describe.each(['generateText', 'streamText'])('an OpenAI-compatible endpoint, asked for %s', (kind) => {
  const top_logprobs = [
    { token: 'A', logprob: -0.5, bytes: null },
    { token: 'B', logprob: -1, bytes: null },
  ];
  const tokens = [
    { token: 'A', logprob: -0.5, bytes: null, top_logprobs },
    { token: '.', logprob: -0.1, bytes: null, top_logprobs: [] },
  ];
  const ask = (topic: string, more: object) =>
    fixture.delegate(kind, { messages: [{ role: 'user', content: topic }], ...more });

  test.each([{ top_logprobs: 20 }, { topLogprobs: 20 }])(
    'is asked for logprobs where the request asks (%o), and they are in the answer',
    async (alternatives) => {
      const topic = `logprobs of ${kind} by ${JSON.stringify(alternatives)}`;
      fixture.llm.behaviour = () => ({ do: 'say', text: 'A', logprobs: tokens });
      const { taskId } = await ask(topic, { logprobs: true, ...alternatives });
      await fixture.answerAll();
      expect((await fixture.waitForOutcome(taskId)).result).toMatchObject({
        response: 'A',
        logprobs: { content: tokens },
      });
      expect(fixture.llm.callsAbout(topic)[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 20 });
    },
  );

  test('is asked without logprobs where it refuses them', async () => {
    const topic = `${kind} without logprobs`;
    fixture.llm.behaviour = ({ body }) =>
      body.logprobs === true
        ? { do: 'refuse', status: 400, message: 'logprobs are not supported with this model' }
        : { do: 'say', text: 'A' };
    const { taskId } = await ask(topic, { modelId: `${kind}-refusing`, logprobs: true });
    expect(eventKinds(await fixture.answerAll())).toEqual(['claimed', 'answered']);
    expect((await fixture.waitForOutcome(taskId)).result).not.toHaveProperty('logprobs');
  });

  test('that counts no tokens is not said to have used none', async () => {
    fixture.llm.behaviour = () => ({ do: 'say', text: 'A', withoutUsage: true });
    const { taskId } = await ask(`${kind} without usage`, {});
    const [, answered] = await fixture.answerAll();
    expect(answered).not.toHaveProperty('usage');
    expect((await fixture.waitForOutcome(taskId)).result).not.toHaveProperty('usage');
  });
});

test('classify reads the probabilities of its classes from what the agent passes on', async () => {
  const top_logprobs = [
    { token: 'A', logprob: Math.log(0.6) },
    { token: 'B', logprob: Math.log(0.2) },
  ];
  fixture.llm.behaviour = () => ({
    do: 'say',
    text: 'A',
    logprobs: [{ token: 'A', logprob: Math.log(0.6), top_logprobs }],
  });
  const { taskId } = await callTool(fixture.client, 'classify', {
    text: 'Buy now',
    classes: ['spam', 'ham'],
  });
  await fixture.answerAll();
  const { result } = await fixture.waitForOutcome(taskId);
  expect(result.class).toBe('spam');
  expect(result.probabilities.spam).toBeCloseTo(0.75);
});

describe('an invalid answer', () => {
  test('is repaired before it is posted, so that Baton never requests it again', async () => {
    const topic = 'wrong once';
    fixture.llm.behaviour = ({ attempt }) =>
      attempt === 1 ? { do: 'say', text: '{"value": 7}' } : VALID_ANSWER;
    const { taskId, interactionId } = await fixture.parkEcho(topic);
    const events = await fixture.answerAll();
    expect(eventKinds(events)).toEqual(['claimed', 'repairing', 'answered']);
    expect(events[2]).toMatchObject({ usage: { inputTokens: 42, outputTokens: 26 } });
    const [, again] = fixture.llm.callsAbout(topic);
    const [quoted, told] = again?.messages.slice(-2) ?? [];
    expect(quoted.content).toContain('{"value":7}');
    expect(told.content).toContain('value: must be string');
    const view = await fixture.waitForOutcome(taskId);
    expect(view).toMatchObject({ status: 'completed', result: { value: `answer to ${topic}` } });
    expect(await fixture.listInteractions(taskId)).toEqual([
      expect.objectContaining({ interactionId, status: 'answered' }),
    ]);
  });

  test.each([
    ['half a JSON', '{"value": "abc'],
    ['words instead of JSON', 'I would rather not.'],
  ])('is repaired when it is %s', async (what, text) => {
    fixture.llm.behaviour = ({ attempt }) => (attempt === 1 ? { do: 'say', text } : VALID_ANSWER);
    const { taskId } = await fixture.parkEcho(what);
    expect(eventKinds(await fixture.answerAll())).toEqual(['claimed', 'repairing', 'answered']);
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['a code fence', '```json\n{"value":"fenced"}\n```'],
    ['thinking aloud before it', '<think>{"value": 7}? no.</think>\n{"value":"fenced"}'],
  ])('is not what %s makes of it', async (what, text) => {
    fixture.llm.behaviour = () => ({ do: 'say', text });
    const { taskId } = await fixture.parkEcho(what);
    expect(eventKinds(await fixture.answerAll())).toEqual(['claimed', 'answered']);
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ result: { value: 'fenced' } });
  });

  test('even after a repair is posted, and Baton requests it again within its attempts', async () => {
    const topic = 'never right';
    fixture.llm.behaviour = () => ({ do: 'say', text: '{"value": 7}' });
    const { taskId } = await fixture.parkEcho(topic);
    const events = await fixture.answerAll();
    const rejected = events.filter((event) => event.kind === 'rejected');
    expect(rejected).toHaveLength(4);
    expect(rejected[3]).toMatchObject({
      task: { taskId, status: 'failed', error: { code: 'answer_invalid' } },
    });
    expect(fixture.llm.countCalls(topic)).toBe(8);
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({
      status: 'failed',
      error: { code: 'answer_invalid' },
    });
  });
});

test('a schema that is slow to validate never blocks the agent or its answer', async () => {
  const levels = Array.from({ length: 24 }, (_, level) => {
    const branch = { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { type: 'null' }] };
    return [`l${level}`, { anyOf: [branch, branch] }];
  });
  const schema = { $defs: { ...Object.fromEntries(levels), l24: { type: 'object' } }, $ref: '#/$defs/l0' };
  await fixture.delegate('generateObject', { messages: [{ role: 'user', content: 'slow schema' }], schema });
  const { taskId } = await fixture.parkEcho('beside the slow one');
  const agent = fixture.startAgent();
  await agent.waitFor(eventMatcher('answered', 'beside the slow one'));
  await agent.waitFor(eventMatcher('answered', 'slow schema'));
  await agent.stop(0);
  expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
});
