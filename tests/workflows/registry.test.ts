import { DEFAULT_LIMITS } from '@baton/protocol';
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_DEFINITION_BYTES } from '../../packages/store/src/tenant/definitions.ts';
import { codeBlocksUnder } from '../docs/read-markdown-pages.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
});
afterAll(() => fixture?.stop());

const see = { name: 'see', tool: 'next_task' };

test('a dry run is refused as the change would be, and stores nothing', async () => {
  const put = (name: string, definition: object, query: string) =>
    fixture.rest('PUT', `/workflows/${name}${query}`, { name, ...definition });
  const sees = { description: 'Sees', steps: [{ name: 'see', tool: 'next_task' }] };
  expect((await put('dry', sees, '?dryRun=true')).body).toEqual({ name: 'dry', version: 1, dryRun: true });
  expect((await fixture.rest('GET', '/workflows/dry')).status).toBe(404);
  await put('dry', sees, '');
  expect((await put('dry', sees, '?dryRun=true')).body).toMatchObject({ version: 1 });
  const changed = { ...sees, description: 'Looks' };
  expect((await put('dry', changed, '?dryRun=true')).body).toMatchObject({ version: 2 });
  const unknown = { ...sees, steps: [{ name: 'see', tool: 'no_such' }] };
  expect(await put('dry', unknown, '?dryRun=true')).toMatchObject({ status: 400 });
  expect((await fixture.rest('GET', '/workflows/dry')).body).toMatchObject({ version: 1, definition: sees });
  await fixture.rest('DELETE', '/workflows/dry');
});

test('a definition is stored as a version, read on any replica, and deleted', async () => {
  expect(await fixture.put('plan', [see], { title: 'Plan' })).toEqual({ name: 'plan', version: 1 });
  expect(await fixture.put('plan', [see], { title: 'Plan' })).toEqual({ name: 'plan', version: 1 });
  expect(await fixture.put('plan', [see, { name: 'think', guidance: 'Think.' }])).toEqual({
    name: 'plan',
    version: 2,
  });
  const { body } = await fixture.rest('GET', '/workflows/plan', undefined, { at: 1 });
  expect(body).toMatchObject({
    version: 2,
    storedBy: 'admin',
    definition: { name: 'plan', steps: [{ tool: 'next_task' }, {}] },
  });
  const history = await fixture.rest('GET', '/workflows/plan/history', undefined, { at: 1 });
  expect(history.body.versions.map((one: AnyJson) => [one.version, one.definition.steps.length])).toEqual([
    [2, 2],
    [1, 1],
  ]);
  const resource: AnyJson = await fixture.clients[1].readResource({ uri: 'baton://workflows/plan' });
  expect(JSON.parse(resource.contents[0].text)).toMatchObject({ version: 2, name: 'plan' });
  expect((await fixture.rest('DELETE', '/workflows/plan', undefined, { at: 1 })).body).toEqual({
    name: 'plan',
    deleted: true,
  });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/history'],
    ['DELETE', ''],
  ] as const) {
    expect(await fixture.rest(method, `/workflows/plan${path}`)).toMatchObject({
      status: 404,
      body: { code: 'workflow_not_found' },
    });
  }
  await expect(fixture.clients[0].readResource({ uri: 'baton://workflows/plan' })).rejects.toMatchObject({
    code: -32002,
  });
});

test('versions are listed with the tasks that go on with them, the dropped ones too', async () => {
  const handsOff = (n: number) => [
    { name: `find${n}`, tool: 'get_tasks', arguments: { projectRoot: 'unknown' } },
  ];
  const tasks: string[] = [];
  for (let n = 1; n <= 7; n++) {
    await fixture.put('versioned', handsOff(n));
    const { taskId, status } = await fixture.run('versioned');
    expect(status).toBe('working');
    tasks.push(taskId);
  }
  await callTool(fixture.clients[0], 'complete_task', { taskId: tasks[5], result: {} });
  const { body } = await fixture.rest('GET', '/workflows/versioned/history', undefined, { at: 1 });
  expect(body.versions.map((one: AnyJson) => [one.version, one.tasks])).toEqual([
    [7, [tasks[6]]],
    [6, []],
    [5, [tasks[4]]],
    [4, [tasks[3]]],
    [3, [tasks[2]]],
  ]);
  expect(body.tasksOfDroppedVersions.toSorted()).toEqual(tasks.slice(0, 2).toSorted());
  const bob = await fixture.baton.createKey({ scopes: ['mcp'], principal: 'bob' });
  const shown = (await fixture.rest('GET', '/workflows/versioned/history', undefined, { key: bob })).body;
  expect(
    shown.versions.map((one: AnyJson) => one.tasks),
    'tasks of others',
  ).toEqual([[], [], [], [], []]);
  expect(shown.tasksOfDroppedVersions).toEqual([]);
  await fixture.rest('DELETE', '/workflows/versioned');
});

/** What every tenant's list has. */
const GUIDES = ['baton.next_task', 'baton.plan_document', 'baton.review_plan'];

test('prompts/list has every workflow, page by page, and completion its name', async () => {
  const names = Array.from({ length: 45 }, (_, n) => `many_${String(n).padStart(2, '0')}`);
  for (const name of names)
    await fixture.put(name, [see], { arguments: [{ name: 'a', required: true, description: 'An a' }] });
  const [client] = fixture.clients;
  const found: AnyJson[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await client.listPrompts(cursor === undefined ? {} : { cursor });
    found.push(...page.prompts);
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined);
  expect(pages).toBe(3);
  expect(found.map(({ name }) => name)).toEqual([...GUIDES, ...names]);
  expect(found[3]).toEqual({
    name: 'many_00',
    description: 'do many_00',
    arguments: [{ name: 'a', description: 'An a', required: true }],
  });
  const completed = await client.complete({
    ref: { type: 'ref/resource', uri: 'baton://workflows/{name}' },
    argument: { name: 'name', value: 'many_4' },
  });
  expect(completed.completion.values).toHaveLength(5);
});

test('a change of a workflow reaches every open session of the tenant, on every replica', async () => {
  const heard = await Promise.all(
    [0, 1].map(async (at) => {
      const client = await connectMcpClient(fixture.baton.url(at), fixture.key);
      let onHeard = () => {};
      const next = () => new Promise<void>((resolve) => (onHeard = resolve));
      client.setNotificationHandler(PromptListChangedNotificationSchema, () => onHeard());
      // The stream opens in the background, and begins with what may have changed before.
      await next();
      return { client, next };
    }),
  );
  for (const change of [() => fixture.put('told', [see]), () => fixture.rest('DELETE', '/workflows/told')]) {
    const all = Promise.all(heard.map(({ next }) => next()));
    await change();
    await all;
  }
  await Promise.all(heard.map(({ client }) => client.close()));
});

test('a definition that is wrong is refused with its step and its field, and stores nothing', async () => {
  const { status, body } = await fixture.rest('PUT', '/workflows/wrong', {
    name: 'wrong',
    description: 'd',
    steps: [
      { name: 'go', tool: 'set_task_status', arguments: { id: '1', status: 'sleeping', colour: 'red' } },
    ],
  });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    code: 'invalid_arguments',
    issues: [
      { step: 'go', field: 'steps.0.arguments.colour' },
      { step: 'go', field: 'steps.0.arguments.status' },
    ],
  });
  expect((await fixture.rest('GET', '/workflows/wrong')).status).toBe(404);
  expect(
    (await fixture.rest('PUT', '/workflows/other', { name: 'wrong', description: 'd', steps: [see] })).body,
  ).toMatchObject({ field: 'name' });
});

test('a list reads the newest version of each workflow, and no other', async () => {
  for (let n = 1; n <= 3; n++) await fixture.put('listed', [{ name: 'note', guidance: `Note ${n}.` }]);
  const monitor = await RedisMonitor.open(fixture.baton.redisUrl);
  const { prompts } = await fixture.clients[0].listPrompts();
  await fixture.rest('GET', '/workflows');
  const commands = await monitor.commands();
  monitor.close();
  expect(prompts.map(({ name }) => name)).toContain('listed');
  const whole = commands.filter((one) => /hgetall/i.test(one) && one.includes(':workflow:'));
  expect(whole, 'reads of all versions').toEqual([]);
  await fixture.rest('DELETE', '/workflows/listed');
});

test('the definition of the page is taken, and runs', async () => {
  const [text = ''] = codeBlocksUnder('Define', 'yaml');
  const put = await fixture.rest('PUT', '/workflows/begin_next', text, { type: 'application/yaml' });
  expect(put).toMatchObject({ status: 200, body: { version: 1 } });
  await callTool(fixture.clients[0], 'add_task', { projectRoot: 'shop', title: 'Dig', description: 'Dig.' });
  expect(await fixture.run('begin_next', { project: 'shop' })).toMatchObject({ status: 'completed' });
  const { task } = await callTool(fixture.clients[1], 'get_task', { projectRoot: 'shop', id: 1 });
  expect(task.status).toBe('in-progress');
});

const YAML_TEXT = `
name: yaml
description: see what is next
steps:
  - name: see          # a comment
    tool: next_task
    arguments: { tag: master }
`;

test('a definition may be YAML; what is no YAML, or expands without end, is refused', async () => {
  const type = 'application/yaml';
  expect(await fixture.rest('PUT', '/workflows/yaml', YAML_TEXT, { type })).toMatchObject({ status: 200 });
  const { body } = await fixture.rest('GET', '/workflows/yaml');
  expect(body.definition.steps).toMatchObject([
    { name: 'see', tool: 'next_task', arguments: { tag: 'master' } },
  ]);
  for (const other of ['text/yaml', 'application/x-yaml; charset=utf-8'])
    expect(await fixture.rest('PUT', '/workflows/yaml', YAML_TEXT, { type: other })).toMatchObject({
      status: 200,
    });
  expect(await fixture.rest('PUT', '/workflows/yaml', YAML_TEXT, { type: 'text/plain' })).toMatchObject({
    status: 415,
    body: { detail: expect.stringContaining('"application/yaml"') },
  });
  const told: [string, string][] = [
    [YAML_TEXT.replace('tag: master', 'tag: {{args.tag}}'), "put templates in quotes: '{{args.tag}}'"],
    [`${YAML_TEXT}---${YAML_TEXT}`, "it holds several documents, divided by '---'; give one"],
  ];
  for (const [text, problem] of told)
    expect(await fixture.rest('PUT', '/workflows/yaml', text, { type })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(problem) },
    });
  const bomb = [
    'a: &a [x, x]',
    ...'bcdefghijklmnopqrst'
      .split('')
      .map(
        (name, at) => `${name}: &${name} [*${'abcdefghijklmnopqrst'[at]}, *${'abcdefghijklmnopqrst'[at]}]`,
      ),
  ].join('\n');
  const bad: [string, number][] = [
    ['name: [', 400],
    ['a: 1\na: 2', 400],
    ['- 1', 400],
    ['!!js/function x', 400],
    ['__proto__: { x: 1 }', 400],
    [bomb, 400],
    ['['.repeat(3_000), 400],
    ['['.repeat(5_000), 413],
    ['---\n'.repeat(5_000), 413],
    [`a: [${'1,'.repeat(5_000)}]`, 413],
    [`x: ${'y'.repeat(70_000)}`, 413],
  ];
  for (const [text, status] of bad) {
    const reply = await fixture.rest('PUT', '/workflows/yaml', text, { type });
    expect([text.slice(0, 20), reply.status]).toEqual([text.slice(0, 20), status]);
    expect(reply.body.code).toBe(status === 413 ? 'limit_size' : 'invalid_arguments');
  }
  expect((await fixture.rest('GET', '/workflows/yaml')).body.version).toBe(1);
});

test('limits are counted: bytes of a definition, workflows of a tenant; versions beyond five are dropped', async () => {
  const long = { name: 'long', guidance: 'x'.repeat(3_900) };
  const steps = Array.from({ length: 9 }, (_, n) => ({ ...long, name: `s${n}` }));
  const refused = await fixture.rest('PUT', '/workflows/large', { name: 'large', description: 'd', steps });
  expect(refused).toMatchObject({
    status: 413,
    body: { code: 'limit_size', most: MAX_DEFINITION_BYTES.workflow },
  });
  for (let n = 1; n <= 7; n++) await fixture.put('often', [{ name: 'note', guidance: `Version ${n}.` }]);
  const { body } = await fixture.rest('GET', '/workflows/often/history');
  expect(body.versions.map(({ version }: AnyJson) => version)).toEqual([7, 6, 5, 4, 3]);
  const count = (await fixture.baton.store.tenant('acme').workflows.names()).length;
  for (let n = count; n < DEFAULT_LIMITS.workflows; n++) await fixture.put(`fill_${n}`, [see]);
  const full = await fixture.rest('PUT', '/workflows/one_more', {
    name: 'one_more',
    description: 'd',
    steps: [see],
  });
  expect(full).toMatchObject({
    status: 413,
    body: { code: 'limit_storage', limit: 'workflows', most: DEFAULT_LIMITS.workflows },
  });
  expect(await fixture.put('often', [see]), 'a full registry takes new versions').toMatchObject({
    version: 8,
  });
});

test("workflows are their tenant's, and only its admins change them", async () => {
  const foreign = await fixture.baton.addTenant('other');
  const foreignClient = await connectMcpClient(fixture.baton.url(), foreign);
  expect((await foreignClient.listPrompts()).prompts.map(({ name }) => name)).toEqual(GUIDES);
  await expect(foreignClient.getPrompt({ name: 'often' })).rejects.toMatchObject({ code: -32602 });
  await foreignClient.close();
  const refused = await fixture.rest('PUT', '/workflows/often', { name: 'often' }, { key: fixture.key });
  expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  expect((await fixture.rest('GET', '/workflows/often', undefined, { key: fixture.key })).status).toBe(200);
});
