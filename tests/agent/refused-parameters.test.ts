import { answerWith, type AnswerWithOptions, createModelFactory, type DelegatedRequest } from '@baton/agent';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeLlmServer, type LlmCall, VALID_ANSWER } from '../fake-llm/llm-server.ts';

/** What an endpoint's refusals of requests teach of its model, over one answer function. */
let llm: FakeLlmServer;
beforeAll(async () => {
  llm = await FakeLlmServer.start();
});
afterAll(() => llm.close());

const refuse = (message: string) => ({ do: 'refuse', status: 400, message }) as const;

function start(options: AnswerWithOptions = {}) {
  const answer = answerWith(createModelFactory({ provider: 'openai', endpoint: llm.url })('m'), options);
  const { signal } = new AbortController();
  return async (topic: string, parameters: object): Promise<LlmCall[]> => {
    const asked = {
      principal: 'ann',
      serviceType: 'generateText',
      request: { apiKey: null, messages: [{ role: 'user', content: topic }], ...parameters },
    } as unknown as DelegatedRequest;
    await answer(asked, { signal }).catch(() => {});
    return llm.callsAbout(topic);
  };
}
const limits = (calls: readonly LlmCall[]) => calls.map(({ body }) => body.max_tokens);

test('a prompt that is too long, and is refused without a limit of tokens too, takes the limit from no later request', async () => {
  const ask = start();
  const message =
    "This model's maximum context length is 8192 tokens, however you requested 20000 tokens. Reduce your prompt.";
  llm.behaviour = ({ topic }) => (topic === 'too long' ? refuse(message) : VALID_ANSWER);
  expect(limits(await ask('too long', { maxTokens: 300 }))).toEqual([300, undefined]);
  expect(limits(await ask('short enough', { maxTokens: 300 }))).toEqual([300]);
});

test('a limit of tokens that is too large for the model is left out, and a lower one is sent all the same', async () => {
  const ask = start();
  llm.behaviour = ({ body }) =>
    body.max_tokens > 16_384
      ? refuse('max_tokens is too large: this model supports at most 16384')
      : VALID_ANSWER;
  expect(limits(await ask('as much as can be', { maxTokens: 64_000 }))).toEqual([64_000, undefined]);
  expect(limits(await ask('as much again', { maxTokens: 64_000 }))).toEqual([undefined]);
  expect(limits(await ask('a little', { maxTokens: 300 }))).toEqual([300]);
});

test('a flagged prompt that names a parameter takes it from no later request', async () => {
  const ask = start();
  llm.behaviour = ({ topic }) =>
    topic === 'hot' ? refuse('Flagged: how to stop the temperature') : VALID_ANSWER;
  await ask('hot', { temperature: 0.7, stop: ['.'] });
  const [asked] = await ask('mild', { temperature: 0.7, stop: ['.'] });
  expect(asked?.body).toMatchObject({ temperature: 0.7, stop: ['.'] });
});

test("the limit of the agent's owner is never left out, whatever the endpoint says of it", async () => {
  const ask = start({ maxTokens: 100 });
  llm.behaviour = () => refuse('max_tokens is not supported');
  expect(limits(await ask('owned', {}))).toEqual([100]);
  llm.behaviour = () => VALID_ANSWER;
  expect(limits(await ask('owned later', {}))).toEqual([100]);
});
