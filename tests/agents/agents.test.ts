import { DEFAULT_LIMITS } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocksUnder } from '../docs/read-markdown-pages.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import { AgentFixture, agentNamed, putAgent } from './agent-fixture.ts';

let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture?.stop());

test('an agent is stored as a version, read on any replica, and deleted', async () => {
  expect((await putAgent(fixture, 'main_one')).body).toEqual({ id: 'main_one', version: 1 });
  expect((await putAgent(fixture, 'writer')).body).toEqual({ id: 'writer', version: 1 });
  expect((await putAgent(fixture, 'writer')).body).toEqual({ id: 'writer', version: 1 });
  expect((await putAgent(fixture, 'writer', { model: 'm-1' }, 1)).body).toMatchObject({ version: 2 });
  const { body } = await fixture.rest('GET', '/agents/writer', undefined, { at: 1 });
  expect(body).toMatchObject({
    id: 'writer',
    version: 2,
    storedBy: 'admin',
    enabled: true,
    isPrimary: false,
    definition: { id: 'writer', name: 'The writer', model: 'm-1', webSearchEnabled: false, enabled: true },
  });
  const history = await fixture.rest('GET', '/agents/writer/history', undefined, { at: 1 });
  expect(history.body.versions.map((one: AnyJson) => [one.id, one.version, one.definition.model])).toEqual([
    ['writer', 2, 'm-1'],
    ['writer', 1, undefined],
  ]);
  const list = await fixture.rest('GET', '/agents', undefined, { at: 1 });
  expect(list.body.agents).toMatchObject([
    { id: 'main_one', isPrimary: true, enabled: true, name: 'The main_one' },
    { id: 'writer', isPrimary: false, enabled: true, model: 'm-1' },
  ]);
  // A list shows what each is, and not its instructions.
  const said = [
    'description',
    'enabled',
    'id',
    'isPrimary',
    'model',
    'name',
    'storedAt',
    'storedBy',
    'version',
  ];
  for (const one of list.body.agents)
    expect(Object.keys(one).filter((field) => !said.includes(field))).toEqual([]);
  const resource: AnyJson = await fixture.clients[1].readResource({ uri: 'baton://agents/writer' });
  expect(JSON.parse(resource.contents[0].text)).toMatchObject({ id: 'writer', version: 2, enabled: true });
  expect((await fixture.rest('DELETE', '/agents/writer', undefined, { at: 1 })).body).toEqual({
    id: 'writer',
    deleted: true,
  });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/history'],
    ['DELETE', ''],
    ['POST', '/enable'],
  ] as const)
    expect(await fixture.rest(method, `/agents/writer${path}`)).toMatchObject({
      status: 404,
      body: { code: 'agent_not_found' },
    });
  await expect(fixture.clients[0].readResource({ uri: 'baton://agents/writer' })).rejects.toMatchObject({
    code: -32002,
  });
});

test('the primary is never disabled, demoted or deleted, and is changed in one step [primary-no-toggle, agent-states-shown]', async () => {
  await putAgent(fixture, 'critic');
  const refused = { status: 409, body: { code: 'agent_is_primary', agent: 'main_one' } };
  expect(await fixture.rest('POST', '/agents/main_one/disable')).toMatchObject(refused);
  expect(await fixture.rest('DELETE', '/agents/main_one')).toMatchObject(refused);
  expect(await putAgent(fixture, 'main_one', { enabled: false })).toMatchObject(refused);
  expect(await putAgent(fixture, 'main_one', { isPrimary: false })).toMatchObject(refused);
  expect((await fixture.rest('POST', '/agents/critic/disable')).body).toEqual({
    id: 'critic',
    enabled: false,
    isPrimary: false,
  });
  const listed = (await fixture.rest('GET', '/agents', undefined, { at: 1 })).body.agents;
  expect(listed.map((one: AnyJson) => [one.id, one.isPrimary, one.enabled])).toEqual([
    ['critic', false, false],
    ['main_one', true, true],
  ]);
  expect(await fixture.rest('POST', '/agents/critic/primary')).toMatchObject({
    status: 409,
    body: { detail: "Agent 'critic' is disabled, and so it cannot be the primary. Enable it first." },
  });
  await fixture.rest('POST', '/agents/critic/enable');
  expect((await fixture.rest('POST', '/agents/critic/primary', undefined, { at: 1 })).body).toEqual({
    id: 'critic',
    enabled: true,
    isPrimary: true,
  });
  expect((await fixture.rest('GET', '/agents/main_one')).body).toMatchObject({ isPrimary: false });
  expect((await putAgent(fixture, 'main_one', { isPrimary: true })).body).toMatchObject({ version: 1 });
  expect((await fixture.rest('GET', '/agents/main_one')).body).toMatchObject({ isPrimary: true });
  expect((await fixture.rest('GET', '/agents/critic/history')).body.versions).toHaveLength(1);
});

test('two replicas that change the primary at the same time leave exactly one [primary-one]', async () => {
  for (const id of ['a', 'b']) await putAgent(fixture, id);
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      fixture.rest('POST', '/agents/a/primary', undefined, { at: 0 }),
      fixture.rest('POST', '/agents/b/primary', undefined, { at: 1 }),
      fixture.rest('POST', '/agents/a/disable', undefined, { at: 1 }),
      fixture.rest('POST', '/agents/b/disable', undefined, { at: 0 }),
    ]);
    const { body } = await fixture.rest('GET', '/agents');
    const primaries = body.agents.filter((one: AnyJson) => one.isPrimary);
    expect(primaries).toMatchObject([{ enabled: true }]);
    for (const id of ['a', 'b']) await fixture.rest('POST', `/agents/${id}/enable`);
  }
  await fixture.rest('POST', '/agents/main_one/primary');
});

test('agents that one client stores at once are all stored, with a group and without', async () => {
  const ids = Array.from({ length: 24 }, (_, n) => `crowd${n}`);
  const replies = await Promise.all(
    ids.map((id, n) => putAgent(fixture, id, n % 2 === 0 ? {} : { group: ['writer'] })),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(24).fill(200));
  for (const id of ids) await fixture.rest('DELETE', `/agents/${id}`);
});

test('groups close no circle, also when two replicas store its halves at the same time', async () => {
  const stored: number[] = [];
  for (let round = 0; round < 8; round++) {
    const [x, y] = [`x${round}`, `y${round}`];
    const replies = await Promise.all([
      putAgent(fixture, x, { group: [y] }, 0),
      putAgent(fixture, y, { group: [x] }, 1),
    ]);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([{ status: 400, body: { code: 'invalid_arguments', field: 'group' } }]);
    expect(refused[0]?.body.detail).toContain('a cycle:');
    stored.push(replies.length - refused.length);
    for (const id of [x, y]) await fixture.rest('DELETE', `/agents/${id}`);
  }
  expect(stored).toEqual(Array(8).fill(1));
});

test.each<[string, object, string, RegExp]>([
  ['an id that is the name of a tool', { id: 'llm' }, 'id', /'agent_llm' is a tool/],
  ['another id than its path', { id: 'other' }, 'id', /the path says/],
  ['instructions of 1 MB', { instructions: 'x'.repeat(1_000_000) }, 'instructions', /32768/],
  ['no instructions', { instructions: ' ' }, 'instructions', /blank/],
  ['a model that is no string', { model: 7 }, 'model', /string/],
  ['a group with itself', { group: ['bad'] }, 'group', /a cycle: 'bad' calls 'bad'/],
  [
    'parameters that are no object',
    { parameters: { type: 'string' } },
    'parameters',
    /must have .*type.*object/,
  ],
  [
    'parameters that nothing can compile',
    { parameters: { type: 'object', properties: 7 } },
    'parameters',
    /schema/,
  ],
  ['a field that is unknown', { colour: 'red' }, 'colour', /colour/],
  ['a half character', { name: '\ud800' }, 'name', /half/],
  ['a budget that is negative', { budgets: { maxRecalls: -1 } }, 'budgets.maxRecalls', />=0|Too small/],
])('%s is refused, naming the field', async (_what, more, field, message) => {
  const id = 'id' in more && more.id === 'llm' ? 'llm' : 'bad';
  const reply = await fixture.rest('PUT', `/agents/${id}`, agentNamed(id, more));
  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_arguments' } });
  expect(reply.body.field ?? '').toBe(field);
  expect(JSON.stringify(reply.body)).toMatch(message);
  expect((await fixture.rest('GET', `/agents/${id}`)).status).toBe(404);
});

test("Rustbot's files are taken as they are; what has no place here is named, and no key of a provider is stored [agents-from-files, agent-fields]", async () => {
  const preset = {
    id: 'web_search',
    name: 'web_search',
    instructions: 'Search.',
    personality: null,
    model: 'vendor/model-4',
    enabled: true,
    is_primary: false,
    web_search_enabled: true,
    mcp_extensions: ['com.example/mail'],
    mcp_config_file: 'assistant_mcp.json',
  };
  const first = await fixture.rest('PUT', '/agents/web_search', preset);
  expect(first.body).toEqual({ id: 'web_search', version: 1, ignored: ['mcp_config_file'] });
  const file = {
    version: '1.0',
    name: 'secure-agent',
    description: 'Keeps secrets',
    provider: 'openrouter',
    model: 'vendor/model-4',
    apiKey: 'op://Private/key',
    systemPrompt: 'Help.',
    enabled: false,
    parameters: { temperature: 0.3, maxTokens: 99, topP: 1 },
    capabilities: { webSearch: true },
  };
  const second = await fixture.rest('PUT', '/agents/secure_agent', file);
  expect(second.body).toMatchObject({ ignored: ['apiKey', 'parameters.topP', 'provider'] });
  expect((await fixture.rest('GET', '/agents/web_search')).body.definition).toMatchObject({
    webSearchEnabled: true,
    mcpExtensions: ['com.example/mail'],
    isPrimary: false,
  });
  const { body } = await fixture.rest('GET', '/agents/secure_agent');
  expect(body.definition).toEqual({
    id: 'secure_agent',
    name: 'secure-agent',
    description: 'Keeps secrets',
    instructions: 'Help.',
    model: 'vendor/model-4',
    temperature: 0.3,
    maxTokens: 99,
    webSearchEnabled: true,
    enabled: false,
    isPrimary: false,
  });
});

test('the agent of the page is taken', async () => {
  const [text = ''] = codeBlocksUnder('Define an agent', 'yaml');
  const put = await fixture.rest('PUT', '/agents/research', text, { type: 'application/yaml' });
  expect(put).toMatchObject({ status: 200, body: { version: 1 } });
});

test("agents are their tenant's, counted by their limit, and only its admins change them", async () => {
  const foreign = await fixture.baton.addTenant('other');
  expect((await fixture.rest('GET', '/agents', undefined, { key: foreign })).body.agents).toEqual([]);
  expect((await fixture.rest('GET', '/agents/research', undefined, { key: foreign })).status).toBe(404);
  const refused = await fixture.rest('POST', '/agents/research/disable', undefined, { key: fixture.key });
  expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  const { agents } = fixture.baton.store.tenant('acme');
  const anyone = { principal: 'p', scopes: new Set(['admin'] as const) };
  for (let n = (await agents.names()).length; n < DEFAULT_LIMITS.agents; n++)
    await agents.put(anyone, `fill_${n}`, { definition: { id: `fill_${n}` }, summary: { name: 'f' } });
  expect(await putAgent(fixture, 'one_more')).toMatchObject({
    status: 413,
    body: { code: 'limit_storage', limit: 'agents', most: DEFAULT_LIMITS.agents },
  });
});
