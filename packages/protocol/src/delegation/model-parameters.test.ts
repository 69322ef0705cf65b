import { expect, test } from 'vitest';
import { delegatedCallDetailsSchema } from './delegation.ts';

const parametersOf = (more: object) =>
  delegatedCallDetailsSchema.parse({
    originalCommand: 'x',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content: 'x' }], ...more },
  }).requestParameters;

test('what asks something of a model is passed on as it came', () => {
  const asked = {
    temperature: 0.5,
    topP: 0.9,
    top_k: 5,
    seed: 7,
    stop: ['.'],
    tools: [{ name: 'f' }],
    logprobs: true,
  };
  expect(parametersOf(asked)).toMatchObject(asked);
});

test.each([
  'apiKey',
  'api_key',
  'headers',
  'extra_headers',
  'extra_body',
  'extra_query',
  'baseURL',
  'base_url',
  'api_base',
  'organization',
  'timeout',
  'fetch',
  'providerOptions',
  'metadata',
  'mcp_servers',
  '__proto__x',
])('%s, which says where or as whom to call, is never stored', (name) => {
  expect(Object.keys(parametersOf({ [name]: 'x' }))).toEqual(['messages']);
});
