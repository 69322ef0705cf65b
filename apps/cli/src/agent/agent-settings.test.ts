import { describe, expect, test } from 'vitest';
import { chooseModelForRequest, readAgentSettings } from './agent-settings.ts';

const read = (flags: object = {}, environment: NodeJS.ProcessEnv = {}) =>
  readAgentSettings(
    { url: 'http://127.0.0.1:8080', key: 'k', endpoint: 'http://127.0.0.1:1/v1', model: 'mine', ...flags },
    environment,
  );
const asks = (modelId: string | null, role: 'main' | 'research' = 'main') => ({ role, request: { modelId } });

describe('the model that answers', () => {
  test('has to be named for each role that is answered, by flag or variable', async () => {
    await expect(read({ model: undefined })).rejects.toThrow(
      '--model names no model for main, research, fallback. Give --model <model id>',
    );
    await expect(read({ model: 'main=a,fallback=b' })).rejects.toThrow('no model for research.');
    await expect(read({ model: undefined, allowModel: ['*'] })).rejects.toThrow('names no model');
    expect((await read({ model: 'research=a', role: 'research' })).models).toEqual({ research: 'a' });
    expect((await read({ model: undefined }, { BATON_LLM_MODEL: 'a' })).models).toEqual({ other: 'a' });
  });

  test("is the agent's own for the role of a request that names none, or its role as stored ones may", async () => {
    const settings = await read({ model: 'mine,research=theirs', allowModel: ['*'] });
    expect(chooseModelForRequest(asks(null), settings)).toBe('mine');
    expect(chooseModelForRequest(asks(null, 'research'), settings)).toBe('theirs');
    expect(chooseModelForRequest(asks('main'), settings)).toBe('mine');
    expect(chooseModelForRequest(asks('research', 'research'), settings)).toBe('theirs');
  });

  test('is the one of --model, unless the request names one that is allowed', async () => {
    const settings = await read({ model: 'mine,research=theirs', allowModel: ['o1-pro', 'o3'] });
    expect(chooseModelForRequest(asks('gpt-x'), settings)).toBe('mine');
    expect(chooseModelForRequest(asks('gpt-x', 'research'), settings)).toBe('theirs');
    expect(chooseModelForRequest(asks('o3'), settings)).toBe('o3');
  });

  test('is any that a request names only where * is allowed', async () => {
    const settings = await read({}, { BATON_LLM_ALLOW_MODELS: 'a, *' });
    expect(chooseModelForRequest(asks('gpt-x'), settings)).toBe('gpt-x');
  });
});

test('limits and hosts are read, and wrong ones are refused with their name and value', async () => {
  expect(await read({ maxTokens: '500', imageHost: ['a.example', 'b.example'] })).toMatchObject({
    maxTokens: 500,
    imageHosts: ['a.example', 'b.example'],
  });
  expect((await read()).maxTokens).toBeUndefined();
  await expect(read({ maxTokens: '0' })).rejects.toThrow('--max-tokens=0');
  await expect(read({ concurrency: 'x' })).rejects.toThrow(
    '--concurrency=x: must be a whole number from 1 to 50',
  );
  await expect(read({}, { BATON_LLM_IMAGE_HOSTS: '169.254.169.254' })).rejects.toThrow(
    'BATON_LLM_IMAGE_HOSTS=169.254.169.254: must be public host names',
  );
});

test("the provider's own variable is the key of its own address alone, whatever is like that", async () => {
  const keyFor = async (endpoint?: string, provider = 'openai') => {
    const keys = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' };
    const { llmKey, withheldKey } = await read({ endpoint, provider }, keys);
    return llmKey ?? `not ${withheldKey}`;
  };
  expect(await keyFor()).toBe('o');
  expect(await keyFor(undefined, 'anthropic')).toBe('a');
  expect(await keyFor('https://api.openai.com/v1/')).toBe('o');
  expect(await keyFor('https://API.anthropic.com:443/v1', 'anthropic')).toBe('a');
  for (const other of [
    'http://api.openai.com/v1',
    'https://api.openai.com:8443/v1',
    'https://api.openai.com.example/v1',
    'https://api.anthropic.com/v1',
  ])
    expect(await keyFor(other)).toBe('not OPENAI_API_KEY');
});
