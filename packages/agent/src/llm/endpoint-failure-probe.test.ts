import { expect, test } from 'vitest';
import { MockLanguageModelV3 } from 'ai/test';
import { APICallError, type LanguageModel } from 'ai';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { EndpointFailureProbe } from './endpoint-failure-probe.ts';

const apiError = (statusCode: number, responseHeaders = {}) =>
  new APICallError({
    message: `status ${statusCode}`,
    statusCode,
    responseHeaders,
    url: 'x',
    requestBodyValues: {},
  });

/** Models that fail as they are told, and what they were asked. */
function endpoint(failures: Record<string, Error | undefined>) {
  const asked: string[] = [];
  const models = Object.keys(failures).map((modelId): [string, LanguageModel] => [
    modelId,
    new MockLanguageModelV3({
      modelId,
      doGenerate: async ({ prompt }) => {
        asked.push(`${modelId}: ${JSON.stringify(prompt)}`);
        if (failures[modelId] !== undefined) throw failures[modelId];
        return {
          content: [{ type: 'text', text: 'yes' }],
          finishReason: { unified: 'stop', raw: 'stop' },
          usage: { inputTokens: {} as never, outputTokens: {} as never },
          warnings: [],
        };
      },
    }),
  ]);
  const [first] = models;
  const byId = new Map(models);
  const probe = new EndpointFailureProbe(({ role }) => (byId.get(role) ?? first?.[1]) as LanguageModel, 0);
  return { asked, probe };
}

const refusal = new LlmCallFailure('authentication_error', 'not for this key');
const busy = new LlmCallFailure('rate_limit_error', 'too many', { kind: 'passing', retryAfterMs: 600_000 });

test.each([401, 402, 403, 404])('a %s of every neutral request ends the agent', async (status) => {
  const { probe } = endpoint({ main: apiError(status) });
  expect(await probe.judge(refusal)).toMatchObject({ kind: 'fatal', scope: 'endpoint' });
});

test('a refusal never ends the agent while a neutral request to one of its models passes, or fails otherwise', async () => {
  for (const failures of [
    { main: undefined },
    { main: apiError(401), research: undefined },
    { main: apiError(401), research: apiError(500) },
    { main: apiError(429) },
  ]) {
    const { probe } = endpoint(failures);
    expect(await probe.judge(refusal)).toBe(refusal);
  }
});

test('Retry-After pauses others only if a neutral request is told the same, and then for as long as that says', async () => {
  expect(await endpoint({ main: undefined }).probe.judge(busy)).toBe(busy);
  expect(await endpoint({ main: apiError(429, { 'retry-after': '7' }) }).probe.judge(busy)).toMatchObject({
    kind: 'passing',
    scope: 'endpoint',
    retryAfterMs: 7_000,
  });
});

test('other failures cause no probe, and failures at the same time share one that begins after them', async () => {
  const { asked, probe } = endpoint({ main: undefined });
  await probe.judge(new LlmCallFailure('invalid_request_error', 'too long'));
  expect(asked).toEqual([]);
  await Promise.all([probe.judge(refusal), probe.judge(refusal), probe.judge(busy)]);
  expect(asked).toEqual([expect.stringContaining('Answer with the word yes.')]);
  await probe.judge(refusal);
  expect(asked).toHaveLength(2);
});

test('a model that cannot be chosen for a neutral request leaves the failure to its request', async () => {
  const probe = new EndpointFailureProbe(() => {
    throw new TypeError('no model');
  }, 0);
  await expect(probe.judge(refusal)).rejects.toThrow('no model');
  await expect(probe.judge(refusal)).rejects.toThrow('no model');
});
