import { answerWith, createModelFactory, type DelegatedRequest } from '@baton/agent';
import type { EndpointKind } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';

/** What of a caller's own request reaches an endpoint. */
let llm: FakeLlmServer;
beforeAll(async () => {
  llm = await FakeLlmServer.start();
});
afterAll(() => llm.close());

async function bodyOf(parameters: object, provider: EndpointKind = 'openai') {
  const answer = answerWith(createModelFactory({ provider, endpoint: llm.url })('gpt-5'));
  const request = { apiKey: null, messages: [{ role: 'user', content: 'x' }], ...parameters };
  const asked = { principal: 'ann', serviceType: 'generateText', request } as unknown as DelegatedRequest;
  await answer(asked, { signal: new AbortController().signal });
  return llm.calls.at(-1)?.body;
}

const tools = [{ name: 'look', inputSchema: { type: 'object' } }];

test.each<[object, object]>([
  [{ max_tokens: 55 }, { max_tokens: 55 }],
  [{ maxTokens: 500, max_completion_tokens: 7_000 }, { max_tokens: 500 }],
  [{ maxTokens: 500, maxOutputTokens: 77 }, { max_tokens: 77 }],
  [
    { top_p: 0.5, seed: 7 },
    { top_p: 0.5, seed: 7 },
  ],
  [{ stop_sequences: ['END'] }, { stop: ['END'] }],
  [
    { presence_penalty: 1, frequencyPenalty: 0.5 },
    { presence_penalty: 1, frequency_penalty: 0.5 },
  ],
  [{ reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
  [{ parallel_tool_calls: false, tools }, { parallel_tool_calls: false }],
  [{ response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
  [
    { response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } } },
    { response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } } },
  ],
])('%j reaches chat completions as %j', async (given, sent) => {
  expect(await bodyOf(given)).toMatchObject(sent);
});

test("Anthropic takes topK, and OpenAI's responses the effort and parallel calls", async () => {
  expect(await bodyOf({ top_k: 5, max_tokens: 55 }, 'anthropic')).toMatchObject({ top_k: 5, max_tokens: 55 });
  const given = { reasoning_effort: 'low', parallelToolCalls: false, tools };
  expect(await bodyOf(given, 'openai-responses')).toMatchObject({
    reasoning: { effort: 'low' },
    parallel_tool_calls: false,
  });
});
