import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { convert } from '@openapi-contrib/json-schema-to-openapi-schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentFixture, putAgent } from '../agents/agent-fixture.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { HOST_RULES, placesIn } from './host-rules.ts';

/** Parameters that authors of agents write, and no host takes. */
const PARAMETERS: Readonly<Record<string, AnyJson>> = {
  references: {
    type: 'object',
    properties: { place: { $ref: '#/$defs/place' }, back: { $ref: '#' } },
    $defs: { place: { type: 'object', properties: { city: { type: ['string', 'null'] } } } },
  },
  alternatives: {
    type: 'object',
    oneOf: [
      { properties: { by: { const: 'id' }, id: { type: ['integer', 'string'] } }, required: ['by', 'id'] },
      { properties: { by: { const: 'name' }, name: { type: 'string' } }, required: ['by', 'name'] },
    ],
  },
  loose: {
    type: 'object',
    properties: {
      anything: {},
      true: true,
      list: { type: 'array' },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      level: { enum: [1, 2, 3] },
      word: { enum: ['', 'a', null] },
      'first name': { type: 'string' },
      not: { not: { type: 'string' } },
      mail: { type: 'string', format: 'email' },
    },
    required: ['level', 'first name', 'nowhere'],
    additionalProperties: {},
    patternProperties: { '^x-': { type: 'string' } },
  },
};

let fixture: AgentFixture;
let tools: AnyJson[];
beforeAll(async () => {
  fixture = await AgentFixture.start();
  await putAgent(fixture, 'assistant');
  for (const [id, parameters] of Object.entries(PARAMETERS)) await putAgent(fixture, id, { parameters });
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const reply = await postJsonRpc(fixture.baton.url(), fixture.baton.apiKey, body);
  // Those of tests are not the product's.
  tools = reply.body.result.tools.filter(({ name }: AnyJson) => !name.startsWith('bench_'));
});
afterAll(() => fixture?.stop());

test('the list has the tools of every tenant and those of its agents', () => {
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['add_task', ...Object.keys(PARAMETERS).map((id) => `agent_${id}`)]),
  );
});

describe.each(HOST_RULES)('$host: $says ($page)', ({ breaches }) => {
  test('holds for every input schema', () => {
    const found = tools.flatMap(({ name, description, inputSchema }) =>
      breaches({ name, description, places: placesIn(inputSchema) }).map((path) => `${name}${path}`),
    );
    expect(found).toEqual([]);
  });
});

test('the converter to schemas of OpenAPI 3.0, which Gemini follows, takes every input schema and loses nothing of it', async () => {
  for (const { name, inputSchema } of tools)
    expect([name, await convert(inputSchema)]).toEqual([name, inputSchema]);
});

test("the AI SDK's converter makes a function declaration of every tool, each value with its one type", async () => {
  let declared: AnyJson[] = [];
  const google = createGoogleGenerativeAI({
    apiKey: 'none',
    fetch: async (_url, init) => {
      declared = JSON.parse(init?.body as string).tools[0].functionDeclarations;
      const candidates = [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP' }];
      return Response.json({ candidates });
    },
  });
  await google('gemini-2.5-flash').doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function' as const,
      name,
      description,
      inputSchema,
    })),
  });
  expect(declared.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  for (const [at, { name, parameters }] of declared.entries()) {
    const types = (schema: AnyJson) => placesIn(schema).map(({ path, schema: one }) => [path, one.type]);
    expect([name, types(parameters)]).toEqual([name, types(tools[at].inputSchema)]);
  }
});

test('the server still holds a call against the whole schema of an agent', async () => {
  const call = async (name: string, args: object) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    return (await postJsonRpc(fixture.baton.url(), fixture.baton.apiKey, body)).body.result;
  };
  expect((await call('agent_alternatives', { by: 'name', id: 1 })).isError).toBe(true);
  expect((await call('agent_alternatives', { by: 'id', id: '1' })).structuredContent.status).toBe(
    'pending_agent_llm_action',
  );
  expect((await call('agent_loose', { level: 4, 'first name': 'A', nowhere: 1 })).isError).toBe(true);
});
