import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';

/** The forms in which an answer calls tools, for each kind of request, over the wire. */
let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(), baton.apiKey);
});
afterAll(() => baton?.stop());

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ type: 'function', function: { name: 'weather', description: 'Says it', parameters } }];
const messages = [{ role: 'user', content: 'How is the weather?' }];
const schema = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };

const openai = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});
const baton_ = (id: string, city: string) => ({ id, name: 'weather', arguments: { city } });
const both = (form: (id: string, city: string) => object) => [form('c1', 'Berlin'), form('c2', 'Tokyo')];
const NORMALISED = both(baton_);

/** The fields of an answer's data that call the same two tools. */
const FORMS: [string, object][] = [
  ["OpenAI's tool_calls", { tool_calls: both(openai) }],
  ["OpenAI's items under toolCalls", { toolCalls: both(openai) }],
  ["Baton's toolCalls", { toolCalls: NORMALISED }],
  ["Baton's items under tool_calls", { tool_calls: NORMALISED }],
  ['one item of each form', { toolCalls: [openai('c1', 'Berlin'), baton_('c2', 'Tokyo')] }],
  [
    "arguments as an object in OpenAI's place",
    {
      tool_calls: [
        { ...openai('c1', ''), function: { name: 'weather', arguments: { city: 'Berlin' } } },
        openai('c2', 'Tokyo'),
      ],
    },
  ],
];
const KINDS: [string, object][] = [
  ['generateText', {}],
  ['streamText', {}],
  ['generateObject', {}],
  ['generateObject with a schema', { schema, objectName: 'degrees' }],
];

async function open(kind: string, more: object): Promise<AnyJson> {
  return callTool(client, 'agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'weather',
      serviceType: kind.split(' ')[0],
      requestParameters: { messages, tools, ...more },
    },
  });
}
const answer = async (interactionId: string, data: object): Promise<AnyJson> => {
  const agentLLMResponse = { status: 'success', data };
  return (await callTool(client, 'agent_llm', { interactionId, agentLLMResponse, repeat: true })).outcome;
};

describe.each(KINDS)('in the answer to a %s request', (kind, more) => {
  test.each(FORMS)('%s are read and normalised, alone and beside text', async (_form, calls) => {
    for (const [beside, response] of [
      [{}, ''],
      [{ text: 'Let me look.' }, 'Let me look.'],
      [{ text: '', content: [{ type: 'text', text: 'Let me look.' }] }, undefined],
      [{ text: null }, ''],
      [{ content: null }, ''],
      [{ role: 'assistant', content: null, refusal: null, annotations: [] }, ''],
    ] as const) {
      const asked = await open(kind, more);
      expect(asked.llmRequestForAgent.tools).toEqual(tools);
      const { status, result } = await answer(asked.interactionId, { ...beside, ...calls });
      expect([status, result?.toolCalls]).toEqual(['completed', NORMALISED]);
      if (response !== undefined) expect(result.response).toBe(response);
    }
  });

  test('a call that is broken is asked again, with what is wrong named, and its repair is taken', async () => {
    const asked = await open(kind, more);
    const cut = { ...openai('c1', ''), function: { name: 'weather', arguments: '{"city": "Ber' } };
    const { pending } = await answer(asked.interactionId, { tool_calls: [cut] });
    expect(pending.attempt).toBe(2);
    expect(JSON.stringify(pending.llmRequestForAgent.messages)).toContain("the tool call 'c1' is broken");
    const { result } = await answer(pending.interactionId, { tool_calls: both(openai) });
    expect(result.toolCalls).toEqual(NORMALISED);
  });
});

test('an object whose request offers no tools keeps fields that are named like calls', async () => {
  const asked = await callTool(client, 'agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'x',
      serviceType: 'generateObject',
      requestParameters: { messages },
    },
  });
  const object = { tool_calls: [{ at: 1 }], toolCalls: 7 };
  const { result } = await answer(asked.interactionId, { object });
  expect(result.response).toEqual(object);
  expect(result).not.toHaveProperty('toolCalls');
});

test('an operation offers no tools: calls beside its object are left, and calls alone are no answer', async () => {
  const prd = { prd: 'A shop.', numTasks: 1, projectRoot: 'calls' };
  const asked = await callTool(client, 'parse_prd', prd);
  expect(asked.llmRequestForAgent).not.toHaveProperty('tools');
  const { pending } = await answer(asked.interactionId, { tool_calls: both(openai) });
  expect(pending.attempt).toBe(2);
  const tasks = [{ id: 1, title: 'Shop', description: 'A shop.' }];
  const { status, result } = await answer(pending.interactionId, {
    object: { tasks },
    tool_calls: both(openai),
  });
  expect([status, result.tasksAdded]).toEqual(['completed', 1]);
});
