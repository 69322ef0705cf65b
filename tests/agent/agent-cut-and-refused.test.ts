import { answerWith, createModelFactory } from '@baton/agent';
import type { EndpointKind } from '@baton/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LlmBehaviour, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { USAGE } from '../fake-llm/provider-formats.ts';
import { AgentFixture, eventKinds } from './agent-fixture.ts';

/** What an agent does with a reply that its limit of tokens cut off, and with a model that will not answer. */
let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture.stop());
afterEach(async () => {
  await fixture.stopAgents();
  fixture.llm.behaviour = () => VALID_ANSWER;
});

const CUT_REASON = { openai: 'length', 'openai-responses': 'max_output_tokens', anthropic: 'max_tokens' };
const PROVIDERS = ['openai', 'anthropic'] as const;
const SERVICES = ['generateObject', 'generateText', 'streamText'] as const;
const KINDS = PROVIDERS.flatMap((provider) =>
  SERVICES.map((serviceType) => [provider, serviceType] as const),
);

const OBJECT = { schema: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] } };

function delegate(serviceType: string, topic: string, parameters: object = {}) {
  return fixture.delegate(serviceType, {
    messages: [{ role: 'user', content: topic }],
    ...(serviceType === 'generateObject' ? { ...OBJECT, objectName: 'value' } : {}),
    ...parameters,
  });
}

/** What a task's usage has of one answer that took so many calls of the endpoint. */
const spentIn = (calls: number, failedCalls = 0) => ({
  calls: 1,
  failedCalls,
  inputTokens: calls * USAGE.input,
  outputTokens: calls * USAGE.output,
});
const limitsOf = (topic: string) => fixture.llm.callsAbout(topic).map(({ body }) => body.max_tokens);

describe('a reply that its limit of tokens cut off', () => {
  const cut =
    (text: string, more: object = {}): typeof fixture.llm.behaviour =>
    ({ api }) => ({ do: 'say', text, finishReason: CUT_REASON[api], ...more });

  test.each(KINDS)(
    'is asked for once more with twice the room, and the whole answer is taken: %s %s',
    async (provider, serviceType) => {
      const topic = `cut once ${provider} ${serviceType}`;
      fixture.llm.behaviour = (asked) => (asked.attempt === 1 ? cut('{"value": "ha')(asked) : VALID_ANSWER);
      const { taskId } = await delegate(serviceType, topic, { maxTokens: 300 });
      const events = await fixture.answerAll({ provider });
      expect(eventKinds(events)).toEqual(['claimed', 'retrying', 'answered']);
      expect(events[1]).toMatchObject({
        type: 'answer_cut',
        message: expect.stringContaining('300 tokens (maxTokens)'),
      });
      expect(limitsOf(topic)).toEqual([300, 600]);
      const { result, usage } = await fixture.waitForOutcome(taskId);
      expect(usage).toMatchObject(spentIn(2));
      expect(JSON.stringify(result.response)).toContain(`answer to ${topic}`);
      expect(JSON.stringify(result.response)).not.toContain('ha{');
    },
  );

  test.each(KINDS)(
    'twice ends its task with an error that names the limit, after two calls: %s %s',
    async (provider, serviceType) => {
      const topic = `cut twice ${provider} ${serviceType}`;
      fixture.llm.behaviour = cut('{"value": "ha');
      const { taskId } = await delegate(serviceType, topic, { maxTokens: 300 });
      await fixture.answerAll({ provider });
      const { error, usage } = await fixture.waitForOutcome(taskId);
      expect(usage).toMatchObject(spentIn(2, 1));
      expect(error).toMatchObject({ code: 'agent_error', errorDetails: { type: 'answer_cut' } });
      expect(error.message).toContain('cut off at its limit of 600 tokens (maxTokens)');
      expect(limitsOf(topic)).toEqual([300, 600]);
    },
  );

  test('before its first word, as a model that reasons has it, is asked for once more too', async () => {
    fixture.llm.behaviour = (asked) => (asked.attempt === 1 ? cut('')(asked) : VALID_ANSWER);
    const { taskId } = await delegate('generateText', 'cut at once', { maxTokens: 300 });
    expect(eventKinds(await fixture.answerAll())).toEqual(['claimed', 'retrying', 'answered']);
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
  });

  test("at the agent's own limit is not asked for again, and the error says whose limit it is", async () => {
    const llm = createModelFactory({ provider: 'openai', endpoint: fixture.llm.url });
    fixture.llm.behaviour = cut('ha');
    const { taskId } = await delegate('generateText', 'cut by its agent', { maxTokens: 5_000 });
    await fixture.answerAll({ answer: answerWith(llm('m'), { maxTokens: 100 }) });
    expect((await fixture.waitForOutcome(taskId)).error.message).toContain(
      '100 tokens, the limit that is set for the agent',
    );
    expect(limitsOf('cut by its agent')).toEqual([100]);
  });

  test('at a limit that the endpoint has of its own is told with what was written, and asked for with more', async () => {
    fixture.llm.behaviour = (asked) => (asked.attempt === 1 ? cut('ha')(asked) : VALID_ANSWER);
    await delegate('generateText', 'cut by its endpoint');
    const [, retried] = await fixture.answerAll();
    expect(retried).toMatchObject({
      message: "The LLM's answer was cut off at the endpoint's own limit, after 13 tokens.",
    });
    expect(limitsOf('cut by its endpoint')).toEqual([undefined, 26]);
  });

  test("at the end of the model's context window says so, and is not asked for again", async () => {
    fixture.llm.behaviour = cut('ha', { finishReason: 'model_context_window_exceeded' });
    const { taskId } = await delegate('generateText', 'cut by its window', { maxTokens: 300 });
    await fixture.answerAll({ provider: 'anthropic' });
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({
      error: { message: expect.stringContaining('context window'), errorDetails: { type: 'answer_cut' } },
    });
    expect(limitsOf('cut by its window')).toEqual([300]);
  });

  test('that is whole JSON all the same is the answer', async () => {
    fixture.llm.behaviour = cut('{"value": "whole"}');
    const { taskId } = await delegate('generateObject', 'cut after its end');
    expect(eventKinds(await fixture.answerAll())).toEqual(['claimed', 'answered']);
    expect((await fixture.waitForOutcome(taskId)).result.response).toMatchObject({ value: 'whole' });
  });
});

describe('a model that refuses to answer', () => {
  const WORDS = 'I will not plan that.';
  const forms: [string, EndpointKind, LlmBehaviour][] = [
    ["OpenAI's refusal beside content: null", 'openai', { do: 'say', refusal: WORDS }],
    ["a refusal of OpenAI's responses", 'openai-responses', { do: 'say', refusal: WORDS }],
    ["Anthropic's stop_reason refusal", 'anthropic', { do: 'say', text: WORDS, finishReason: 'refusal' }],
  ];
  test.each(
    forms.flatMap(([form, provider, manner]) =>
      SERVICES.map((serviceType) => [form, serviceType, provider, manner] as const),
    ),
  )('ends its task as agent_refused with its words, after one call: %s, %s', async (...row) => {
    const [form, serviceType, provider, manner] = row;
    const topic = `refused ${form} ${serviceType}`;
    fixture.llm.behaviour = () => manner;
    const { taskId } = await delegate(serviceType, topic);
    expect(eventKinds(await fixture.answerAll({ provider }))).toEqual(['claimed', 'failed']);
    const { status, error, usage } = await fixture.waitForOutcome(taskId);
    expect(usage).toMatchObject(spentIn(1, 1));
    expect([status, error.code, error.errorDetails.type]).toEqual([
      'failed',
      'agent_refused',
      'agent_refused',
    ]);
    expect(error.message).toContain(WORDS);
    expect(fixture.llm.countCalls(topic)).toBe(1);
  });

  test('is no answer that the endpoint withheld, which has a name of its own', async () => {
    fixture.llm.behaviour = () => ({ do: 'say', text: 'The fi', finishReason: 'content_filter' });
    const { taskId } = await delegate('generateText', 'withheld');
    await fixture.answerAll();
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({
      error: { code: 'agent_error', errorDetails: { type: 'content_filter' } },
      usage: spentIn(1, 1),
    });
    expect(fixture.llm.countCalls('withheld')).toBe(1);
  });
});
