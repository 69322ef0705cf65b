import { type AgentAnswer, delegatedCallDetailsSchema } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { runProgramInMemory } from '../testing/run-program-in-memory.ts';
import { delegatedCallOperation } from './program.ts';

const messages = [{ role: 'user', content: 'Translate hello to French.' }];

function run(details: Record<string, unknown>, data: NonNullable<unknown>) {
  const input = delegatedCallDetailsSchema.parse({ originalCommand: 'translate', ...details });
  const answer = (): AgentAnswer => ({ status: 'success', data });
  return runProgramInMemory(delegatedCallOperation, input, { projects: new Map(), answer });
}

describe('delegated_call', () => {
  it('hands the request on as it came, but never a key of the caller', () => {
    const requestParameters = { messages, maxTokens: 100, temperature: 0.7, topP: 0.9, apiKey: 'sk-secret' };
    const { calls, end } = run({ serviceType: 'generateText', requestParameters }, { text: 'Bonjour' });
    expect(calls[0]).toMatchObject({ role: 'main', serviceType: 'generateText', attempt: 1 });
    expect(calls[0]?.request).toEqual({
      apiKey: null,
      messages,
      maxTokens: 100,
      temperature: 0.7,
      topP: 0.9,
    });
    expect(end).toEqual({
      status: 'completed',
      result: { originalCommand: 'translate', response: 'Bonjour' },
    });
  });

  it('keeps the model that the caller names', () => {
    const requestParameters = { messages, modelId: 'gpt-x' };
    const { calls } = run({ serviceType: 'streamText', role: 'research', requestParameters }, { text: 'x' });
    expect(calls[0]).toMatchObject({ role: 'research', request: { modelId: 'gpt-x' } });
  });

  it('has the answer checked against the schema that the caller brought', () => {
    const schema = { type: 'object', properties: { word: { type: 'string' } } };
    const requestParameters = { messages, schema, objectName: 'translation' };
    const { calls, transcript } = run(
      { serviceType: 'generateObject', requestParameters },
      { word: 'Bonjour' },
    );
    expect(calls[0]?.request).toMatchObject({ schema, objectName: 'translation' });
    expect(transcript).toEqual(['0 llm', '1 check']);
  });

  it('takes any object when the caller brought no schema', () => {
    const { end } = run(
      { serviceType: 'generateObject', requestParameters: { messages } },
      { object: { word: 'Bonjour' } },
    );
    expect(end).toMatchObject({ result: { response: { word: 'Bonjour' } } });
  });
});
