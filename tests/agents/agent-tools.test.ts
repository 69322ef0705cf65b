import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callToolForError } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** Specialists as tools of their own: `agent_<id>`. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture.stop());

test('a call of a specialist is delegated with its instructions and model, and ends with its words', async () => {
  const asked = await fixture.call('agent_web_search', { query: 'weather' });
  expect(asked).toMatchObject({ status: 'pending_agent_llm_action', operation: 'ask_agent' });
  expect(asked.llmRequestForAgent).toMatchObject({
    modelId: 'search-model',
    webSearchEnabled: true,
    messages: [
      { role: 'system', content: 'You search the web.' },
      { role: 'user', content: '{"query":"weather"}' },
    ],
  });
  expect(asked.llmRequestForAgent.tools).toBeUndefined();
  const { result } = await fixture.answer(asked.interactionId, { text: 'Sunny.' });
  expect(result).toMatchObject({ agentId: 'web_search', response: 'Sunny.', functionCalls: [] });
});

test('one with a group may call the specialists of it, and no others [agent-group]', async () => {
  const lead = { id: 'lead', name: 'Lead', instructions: 'You lead.', group: ['coder'] };
  await fixture.putAgent(lead);
  const asked = await fixture.call('agent_lead', { message: 'Write it' }, 1);
  expect(asked.llmRequestForAgent.tools.map((tool: AnyJson) => tool.function.name)).toEqual(['coder']);
  const step = await fixture.answer(
    asked.interactionId,
    calling({ name: 'coder', arguments: { message: 'x' } }),
  );
  expect(step.pending.llmRequestForAgent.messages[0].content).toBe('You write code.');
  const coded = await fixture.answer(step.pending.interactionId, { text: 'code' });
  const { result } = await fixture.answer(coded.pending.interactionId, { text: 'It is written.' });
  expect(result).toMatchObject({ agentId: 'lead', response: 'It is written.' });
  expect(result.functionCalls).toMatchObject([{ name: 'coder', result: 'code' }]);
});

test('arguments that do not fit, the primary and a disabled agent are refused by name', async () => {
  const [client] = fixture.clients;
  expect(await callToolForError(client!, 'agent_web_search', { q: 1 })).toMatchObject({
    code: 'invalid_arguments',
  });
  const disabled = { id: 'off', name: 'Off', instructions: 'x', enabled: false };
  await fixture.putAgent(disabled);
  for (const name of ['agent_assistant', 'agent_off', 'agent_nobody'])
    await expect(client!.callTool({ name, arguments: { message: 'x' } })).rejects.toMatchObject({
      code: -32602,
    });
});
