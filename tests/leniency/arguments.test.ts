import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentFixture, putAgent } from '../agents/agent-fixture.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { readOpenApiDocument } from '../openapi/openapi-document.ts';
import { TOOL_ARGUMENTS } from '../scenarios/tool-arguments.ts';
import { optionalFields, takes } from './optional-fields.ts';

let fixture: AgentFixture;
let schemas: ReadonlyMap<string, AnyJson>;
beforeAll(async () => {
  fixture = await AgentFixture.start();
  await putAgent(fixture, 'assistant');
  const { paths } = await readOpenApiDocument(fixture.baton.url());
  schemas = new Map(
    Object.entries<AnyJson>(paths).flatMap(([path, { post }]) => {
      const [, name] = /^\/v1\/tools\/(\w+)$/.exec(path) ?? [];
      return name === undefined || name.startsWith('bench_')
        ? []
        : [[name, post.requestBody?.content['application/json'].schema]];
    }),
  );
});
afterAll(() => fixture?.stop());

async function send(params: unknown): Promise<AnyJson> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return (await postJsonRpc(fixture.baton.url(), fixture.baton.apiKey, body)).body;
}
async function call(name: string, args: unknown): Promise<AnyJson> {
  return (await send({ name, arguments: args })).result.structuredContent;
}

/** What a call's arguments are refused for, by field. */
async function refusedFields(name: string, args: AnyJson): Promise<string[]> {
  const { error } = await call(name, args);
  return error?.code === 'invalid_arguments' ? (error.issues ?? []).map(({ field }: AnyJson) => field) : [];
}

/** The fields that are refused with a value as they are not when left out. */
async function refusedWith(value: unknown, isMeant: (schema: AnyJson) => boolean): Promise<string[]> {
  const refused: string[] = [];
  for (const [name, schema] of schemas) {
    for (const field of optionalFields(schema)) {
      if (!isMeant(field.schema)) continue;
      const refusals = (one: unknown) =>
        refusedFields(name, { ...TOOL_ARGUMENTS[name], ...field.holding(one) });
      const given = await refusals(value);
      if (given.includes(field.path) && !(await refusals(undefined)).includes(field.path))
        refused.push(`${name}.${field.path}`);
    }
  }
  return refused;
}

test('null is "left out" for every optional field of every tool, at every level', async () => {
  expect(await refusedWith(null, (schema) => !takes('null', schema))).toEqual([]);
});

test('a blank text is "left out" for every optional field that takes none', async () => {
  expect(await refusedWith('', () => true)).toEqual([]);
  expect(await refusedWith(' ', (schema) => !takes('string', schema))).toEqual([]);
});

test('null keeps its meaning where it has one, and a required field is never left out', async () => {
  await call('response_language', { projectRoot: 'nulls', language: 'German' });
  expect(await call('response_language', { projectRoot: 'nulls', language: null })).toMatchObject({
    responseLanguage: null,
  });
  expect(await refusedFields('get_task', { id: null })).toEqual(['id']);
});

describe('a value in another form', () => {
  const started = (args: object) => call('parse_prd', { projectRoot: 'forms', prd: 'A shop.', ...args });

  test.each([
    ['parse_prd', { append: 'True', force: '0', numTasks: '2.0' }],
    ['parse_prd', { append: 1, research: 'FALSE', numTasks: ' 7 ' }],
    ['get_tasks', { withSubtasks: '1' }],
    ['set_task_status', { id: 5, status: 'done' }],
    ['attach_to_task', { id: '5', remove: '1, 2' }],
    [
      'attach_to_task',
      { id: '5', attachments: '[{"type":"resource_link","uri":"https://a.example","name":"a"}]' },
    ],
    ['generate_prompt', { operation: 'expand_task', context: '{"id":"5"}' }],
    ['pending_interactions', { claim: '{"max":"1","leaseMs":"5000"}' }],
  ])('%s takes %j', async (name, args) => {
    expect(await refusedFields(name, { ...TOOL_ARGUMENTS[name], ...args })).toEqual([]);
  });

  test('is refused where it is none, as it was sent', async () => {
    expect(await started({ numTasks: '2.5' })).toMatchObject({
      error: { code: 'invalid_arguments', field: 'numTasks' },
    });
    expect(await started({ append: 'maybe' })).toMatchObject({
      error: { code: 'invalid_arguments', field: 'append' },
    });
  });

  test('arguments as JSON text, as null and left out are read alike', async () => {
    for (const args of ['{}', '', null, undefined, 'null'])
      expect((await send({ name: 'list_tags', arguments: args })).result.structuredContent).toMatchObject({
        projectRoot: 'default',
      });
    expect(await call('list_tags', '{"projectRoot":"other","showMetadata":"True"}')).toMatchObject({
      error: { projectRoot: 'other' },
    });
  });

  test('a text of rules with commas is one text, and an answer in words stays words', async () => {
    const rules = 'Use tabs, not spaces';
    expect((await call('initialize_project', { projectRoot: 'forms', rules })).rules_applied).toEqual([
      rules,
    ]);
    const asked = await call('agent_llm', TOOL_ARGUMENTS['agent_llm']);
    const answer = { status: 'success', data: '{"a": 1}', stream: null, chunks: null, errorDetails: null };
    const { outcome } = await call('agent_llm', {
      interactionId: asked.interactionId,
      agentLLMResponse: answer,
    });
    expect(outcome.result.response ?? outcome.result.text).toBe('{"a": 1}');
  });
});

test('the arguments of a specialist are read so too, and a list of types in its schema is kept to', async () => {
  const parameters = {
    type: 'object',
    properties: {
      days: { type: 'integer' },
      unit: { enum: ['c', 'f'] },
      code: { type: ['integer', 'string'] },
      note: { type: ['string', 'null'] },
    },
    required: ['days'],
    additionalProperties: false,
  };
  await putAgent(fixture, 'forms', { parameters });
  const asked = async (args: object) => {
    const reply = await call('agent_forms', args);
    return JSON.stringify(reply.llmRequestForAgent?.messages ?? reply);
  };
  expect(await asked({ days: '3', unit: '', code: '7', note: null, task_progress: 'x' })).toContain(
    JSON.stringify(JSON.stringify({ days: 3, code: '7', note: null })).slice(1, -1),
  );
  expect(await asked({ days: null })).toContain('invalid_arguments');
});

test('fields that hosts add are dropped, and any other unknown argument is refused with the nearest name', async () => {
  const added = { task_progress: '- [x] a', toolCallId: 'c1', random_string: 'x', sessionId: 's', tool: {} };
  await call('initialize_project', { projectRoot: 'added', ...added });
  expect(await call('get_tasks', { projectRoot: 'added', ...added })).toMatchObject({ projectRoot: 'added' });
  expect(await call('get_tasks', { withSubtask: true })).toMatchObject({
    error: {
      code: 'invalid_arguments',
      field: 'withSubtask',
      message: expect.stringContaining('"withSubtasks"'),
    },
  });
});

test("a blank text is left out for an optional field with a tenant's pattern, and never held against it at the edge", async () => {
  // Backtracks 2^n times over n blanks before it fails.
  const note = { type: 'string', pattern: '^(\\s|\\s)*x$' };
  const parameters = {
    type: 'object',
    properties: { message: { type: 'string' }, note },
    required: ['message'],
  };
  await putAgent(fixture, 'noted', { parameters });
  for (const blank of ['', ' '.repeat(60)]) {
    const asked = await call('agent_noted', { message: 'x', note: blank });
    expect(asked.llmRequestForAgent.messages.at(-1).content).toBe('x');
  }
  expect(await call('agent_noted', { message: 'x', note: 'no' })).toMatchObject({
    error: { code: 'invalid_arguments' },
  });
});
