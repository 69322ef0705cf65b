import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocksUnder } from '../docs/read-markdown-pages.ts';
import { type AnyJson, callToolForError } from '../harness/mcp-client.ts';
import { AgentFixture } from './agent-fixture.ts';
import { connectNotifiedClient } from './notified-client.ts';

let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture?.stop());

const put = (name: string, more: object = {}, at = 0) =>
  fixture.rest('PUT', `/prompts/${name}`, { name, text: 'Why {thing}?', ...more }, { at });

test('a prompt is stored as a version, with its arguments, read on any replica, and deleted', async () => {
  expect((await put('why')).body).toEqual({ name: 'why', version: 1 });
  expect((await put('why', {}, 1)).body).toEqual({ name: 'why', version: 1 });
  expect((await put('why', { system: 'Be {tone}.' })).body).toMatchObject({ version: 2 });
  const { body } = await fixture.rest('GET', '/prompts/why', undefined, { at: 1 });
  expect(body).toMatchObject({
    version: 2,
    storedBy: 'admin',
    definition: {
      arguments: [
        { name: 'thing', required: true },
        { name: 'tone', required: true },
      ],
      parser: { type: 'text' },
      role: 'main',
      public: false,
    },
  });
  expect((await fixture.rest('GET', '/prompts/why/history')).body.versions).toHaveLength(2);
  const old = await callToolForError(fixture.clients[0], 'call_prompt', {
    name: 'why',
    version: 99,
    args: {},
  });
  expect(old).toMatchObject({
    code: 'prompt_not_found',
    message: expect.stringContaining('GET /v1/prompts/why/history'),
  });
  expect((await fixture.rest('GET', '/prompts')).body.prompts).toMatchObject([
    { name: 'why', public: false },
  ]);
  expect((await fixture.rest('DELETE', '/prompts/why')).body).toEqual({ name: 'why', deleted: true });
  expect(await fixture.rest('GET', '/prompts/why')).toMatchObject({
    status: 404,
    body: { code: 'prompt_not_found' },
  });
});

test('a public prompt is listed among the workflows and rendered; others are not there', async () => {
  await fixture.put('middle', [{ name: 'see', tool: 'next_task' }]);
  await put('later', { public: true, title: 'Later', description: 'Asks', system: 'You are {{calm}}.' });
  await put('hidden');
  await put('before', { public: true });
  const [client] = fixture.clients;
  const { prompts } = await client.listPrompts();
  const guides = ['baton.next_task', 'baton.plan_document', 'baton.review_plan'];
  expect(prompts.map(({ name }) => name)).toEqual([...guides, 'before', 'later', 'middle']);
  expect(prompts[4]).toEqual({
    name: 'later',
    title: 'Later',
    description: 'Asks',
    arguments: [{ name: 'thing', required: true }],
  });
  const got = await fixture.clients[1].getPrompt({ name: 'later', arguments: { thing: '{tone} and $&' } });
  expect(got.messages.map(({ content }: AnyJson) => content.text)).toEqual([
    'You are {calm}.',
    'Why {tone} and $&?',
  ]);
  await expect(client.getPrompt({ name: 'hidden', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  for (const args of [{}, { thing: '' }, { thing: ' \n\t' }])
    await expect(client.getPrompt({ name: 'later', arguments: args })).rejects.toThrow(
      /arguments\.thing: is required/,
    );
  await expect(client.getPrompt({ name: 'later', arguments: { thing: 'a', x: 'b' } })).rejects.toThrow(
    /arguments\.x: the prompt has no such argument/,
  );
  expect(await put('middle', { public: true })).toMatchObject({ status: 400, body: { field: 'name' } });
});

test('of a workflow and a public prompt that are stored under one name at once, one is refused', async () => {
  const steps = [{ name: 'see', tool: 'next_task' }];
  for (let round = 0; round < 10; round++) {
    const name = `both-${round}`;
    const replies = await Promise.all([
      fixture.rest('PUT', `/workflows/${name}`, { name, description: 'Sees', steps }),
      put(name, { public: true }),
    ]);
    const [refused] = replies.filter(({ status }) => status === 400);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(refused?.body.detail).toMatch(/already, and each is a prompt of its name .* public: false/);
    // One that is not public may have the name.
    expect((await put(name)).status).toBeLessThan(300);
  }
});

test('a change of a public prompt reaches every open session of the tenant, on every replica', async () => {
  const schema = PromptListChangedNotificationSchema;
  const { client, next } = await connectNotifiedClient(fixture.baton.url(1), fixture.key, schema);
  for (const change of [() => put('told', { public: true }), () => fixture.rest('DELETE', '/prompts/told')]) {
    const heard = next();
    await change();
    await heard;
  }
  await client.close();
});

const tag = (name: string, more: object = {}) => ({ name, ...more });

test.each<[string, object, string, RegExp]>([
  ['an argument that is not declared', { arguments: [] }, 'text', /no argument 'thing'; write \{\{thing\}\}/],
  [
    'a handler with a value of another',
    { exceptionHandler: '{call_results}' },
    'exceptionHandler',
    /call_results/,
  ],
  ['two arguments of one name', { arguments: [tag('thing'), tag('thing')] }, 'arguments.1.name', /two/],
  [
    'an argument of a handler',
    { arguments: [tag('thing'), tag('error_message')] },
    'arguments.1.name',
    /handlers/,
  ],
  [
    'two tags of one name',
    { parser: { type: 'xml', tags: [tag('a'), tag('a')] } },
    'parser.tags.1.name',
    /two/,
  ],
  [
    'a signal that comes many times',
    { parser: { type: 'md', tags: [tag('a', { signal: true, many: true })] } },
    'parser.tags.0.many',
    /signal/,
  ],
  [
    'a schema that nothing can compile',
    { parser: { type: 'json', schema: { type: 'object', properties: 1 } } },
    'parser.schema',
    /schema/,
  ],
  ...[0, 10_000_001].map((maxTokens): [string, object, string, RegExp] => [
    `${maxTokens} tokens`,
    { maxTokens },
    'maxTokens',
    /Too/,
  ]),
  ['a budget of 10 million', { budgets: { maxRecalls: 10_000_000 } }, 'budgets.maxRecalls', /Too big/],
  ['a tool that is not there', { functions: ['no_such_tool'] }, 'functions.0', /no tool/],
  [
    'a function named as a tool',
    { functions: [{ name: 'next_task', parameters: { type: 'object' } }] },
    'functions.0.name',
    /tool of Baton/,
  ],
  ['two functions of one name', { functions: ['next_task', 'next_task'] }, 'functions.1', /two/],
  [
    'chat completions with computer use',
    { hints: { api: 'chat.completions', computerUse: { displayWidth: 1, displayHeight: 1 } } },
    'hints.computerUse',
    /responses/,
  ],
  ['a text of 1 MB', { text: 'x'.repeat(1_000_000) }, 'text', /32768/],
])('%s is refused, naming the field', async (_what, more, field, message) => {
  const reply = await put('bad', more);
  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_arguments', field } });
  expect(JSON.stringify(reply.body)).toMatch(message);
  expect((await fixture.rest('GET', '/prompts/bad')).status).toBe(404);
});

test('the prompt of the page is taken, and specialists may be named before they are there', async () => {
  const [text = ''] = codeBlocksUnder('Prompts', 'yaml').filter((one) => one.includes('name: extract'));
  const taken = await fixture.rest('PUT', '/prompts/extract', text, { type: 'application/yaml' });
  expect(taken).toMatchObject({ status: 200, body: { version: 1 } });
  expect(await put('asks', { functions: ['agent_soon', 'next_task'] })).toMatchObject({ status: 200 });
});
