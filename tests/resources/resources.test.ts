import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, call, connect, type Loose, post } from '../harness/client.ts';
import { Deployment } from '../harness/deployment.ts';

/** A key that only an encoding of all its characters brings through. */
const PROJECT = 'C:\\Häuser & Gärten/100%?tag=#1';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe.each([
  ['the short way', true],
  ["the SDK's way", false],
])('resources over %s', (_way, shortWay) => {
  let baton: Deployment;
  let client: Client;
  let agent: Client;
  let stranger: Client;
  let parked: Loose;
  let done: Loose;

  beforeAll(async () => {
    baton = await Deployment.start({ gateways: 2, workers: 1, shortWay });
    client = await connect(baton.url(), baton.apiKey);
    agent = await connect(baton.url(1), await baton.key({ scopes: ['agent'] }));
    stranger = await connect(baton.url(1), await baton.key({ scopes: ['mcp'] }));
    await call(client, 'initialize_project', {
      projectRoot: PROJECT,
      name: 'Gardens',
      rules: ['Water at dawn', '## Tools\n\nClean them.'],
    });
    await call(client, 'connect_files', {
      projectRoot: PROJECT,
      files: [
        { name: 'docs/prd é.md', text: '# Gärten' },
        { name: 'plan.png', text: `data:image/png;base64,${PNG.toString('base64')}` },
        { name: 'broken.png', text: 'data:image/png;base64,not base64' },
      ],
    });
    const add = (title: string) =>
      call(client, 'add_task', {
        projectRoot: PROJECT,
        title,
        description: `${title}.`,
        details: 'With care.',
      });
    await add('Dig');
    await add('Plant');
    await call(client, 'add_subtask', { projectRoot: PROJECT, id: 1, title: 'Find the spade' });
    await call(client, 'add_tag', { projectRoot: PROJECT, name: 'winter' });
    const asked = await call(client, 'analyze_project_complexity', { projectRoot: PROJECT });
    const analyses = [1, 2].map((taskId) => ({
      taskId,
      taskTitle: 'x',
      complexityScore: 7,
      recommendedSubtasks: 4,
      expansionPrompt: 'Split it.',
      reasoning: 'Hard ground.',
    }));
    done = await call(client, 'agent_llm', {
      interactionId: asked.interactionId,
      agentLLMResponse: answerOf({ object: { complexityAnalysis: analyses } }),
    });
    parked = await call(client, 'expand_task', { projectRoot: PROJECT, id: 1 });
  });
  afterAll(async () => {
    await Promise.all([client, agent, stranger].map((one) => one?.close()));
    await baton?.stop();
  });

  const rpc = (method: string, params: object = {}, key = baton.apiKey) =>
    post(
      baton.url(1),
      key,
      { jsonrpc: '2.0', id: 1, method, params },
      { accept: 'application/json, text/event-stream' },
    );
  const of = (path: string) => `baton://projects/${encodeURIComponent(PROJECT)}/${path}`;
  const read = async (uri: string, by = client): Promise<Loose> => {
    const { contents } = await by.readResource({ uri });
    expect(contents).toHaveLength(1);
    expect(contents[0]?.uri).toBe(uri);
    return contents[0];
  };
  const json = async (uri: string, by = client): Promise<Loose> => JSON.parse((await read(uri, by)).text);
  const all = async (by: Client): Promise<Loose[]> => {
    const found: Loose[] = [];
    let cursor: string | undefined;
    do {
      const page = await by.listResources(cursor === undefined ? {} : { cursor });
      found.push(...page.resources);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return found;
  };
  /** The tasks of `add_task`, newest first: each was done at once, and its result names no task. */
  const addedTasks = async () =>
    (await baton.store.tenant('acme').listing.tasks({ principal: '', scopes: new Set(['agent']) })).items
      .filter(({ operation }) => operation === 'add_task')
      .map(({ taskId }) => taskId);
  const refusal = async (uri: unknown, key?: string) =>
    (await rpc('resources/read', { uri }, key)).body.error as Loose;

  test('declares resources and completions [resources-capability]', async () => {
    expect(client.getServerCapabilities()).toMatchObject({ resources: {}, completions: {} });
  });

  test('lists what is there for this caller, and each of it can be read [resources-list]', async () => {
    const resources = await all(client);
    const added = await addedTasks();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'baton://projects',
      of('status'),
      of('tasks'),
      of('complexity-report'),
      of('rules'),
      of('files'),
      of('files/broken.png'),
      of(`files/${encodeURIComponent('docs/prd é.md')}`),
      of('files/plan.png'),
      `baton://interactions/${parked.interactionId}`,
      `baton://tasks/${parked.taskId}`,
      `baton://tasks/${done.taskId}`,
      ...added.map((taskId) => `baton://tasks/${taskId}`),
      ...[
        'parse_prd',
        'analyze_project_complexity',
        'expand_task',
        'expand_all',
        'update',
        'update_task',
        'update_subtask',
        'add_task',
      ].map((operation) => `baton://prompts/${operation}`),
    ]);
    for (const { uri, mimeType, size } of resources) {
      const content = await read(uri);
      expect([uri, content.mimeType]).toEqual([uri, mimeType]);
      const bytes = Buffer.from(content.text ?? content.blob, content.text === undefined ? 'base64' : 'utf8');
      if (size !== undefined) expect([uri, bytes.length]).toEqual([uri, size]);
    }
  });

  test('says of each what it is called, its type, whom it is for and when it changed [resource-metadata]', async () => {
    const { resources } = (await rpc('resources/list')).body.result;
    for (const one of resources) {
      expect(one).toMatchObject({
        name: expect.any(String),
        title: expect.any(String),
        description: expect.any(String),
        mimeType: expect.stringMatching(/^\w+\/\w+/),
        annotations: { audience: expect.any(Array), priority: expect.any(Number) },
      });
    }
    const sized = Object.fromEntries(resources.map((one: Loose) => [one.uri, one.size]));
    expect(sized[of('files/plan.png')]).toBe(PNG.length);
    expect(sized[of(`files/${encodeURIComponent('docs/prd é.md')}`)]).toBe(9);
    for (const path of ['tasks', 'status', 'complexity-report', 'files/plan.png']) {
      const { annotations } = resources.find(({ uri }: Loose) => uri === of(path));
      expect([path, annotations.lastModified]).toEqual([path, expect.stringMatching(/^\d{4}-.*Z$/)]);
    }
  });

  test("shows a resource's name, title, type and annotations with its contents [resource-contents]", async () => {
    const { contents } = (await rpc('resources/read', { uri: of('rules') })).body.result;
    expect(contents).toEqual([
      {
        uri: of('rules'),
        name: 'rules',
        title: 'Rules of a project',
        mimeType: 'text/markdown',
        text: '# Rules of Gardens\n\n- Water at dawn\n\n## Tools\n\nClean them.\n\n',
        size: 60,
        annotations: { audience: ['user', 'assistant'], priority: 0.8 },
      },
    ]);
  });

  test('gives texts as text and what is none as base64, never one as the other [resource-text-binary]', async () => {
    const text = await read(of(`files/${encodeURIComponent('docs/prd é.md')}`));
    expect(text).toMatchObject({ mimeType: 'text/markdown', text: '# Gärten' });
    const image = await read(of('files/plan.png'));
    expect(image).toMatchObject({ mimeType: 'image/png', blob: PNG.toString('base64') });
    expect(image).not.toHaveProperty('text');
    expect(await read(of('files/broken.png'))).toMatchObject({
      mimeType: 'text/plain',
      text: 'data:image/png;base64,not base64',
    });
  });

  test('shows of a project what its tools show [resources-of-project]', async () => {
    expect((await json('baton://projects')).projects).toEqual([
      { projectRoot: PROJECT, status: of('status'), tasks: of('tasks') },
    ]);
    const listed = await call(client, 'get_tasks', { projectRoot: PROJECT, withSubtasks: true });
    expect(await json(of('tasks'))).toEqual(listed);
    expect(listed.tasks).toHaveLength(2);
    expect(await json(of('tasks?tag=winter'))).toMatchObject({ tag: 'winter', tasks: [] });
    for (const id of ['1', '1.1'])
      expect(await json(of(`tasks/${id}`))).toEqual(
        await call(client, 'get_task', { projectRoot: PROJECT, id }),
      );
    const { report } = await call(client, 'complexity_report', { projectRoot: PROJECT });
    expect(await json(of('complexity-report'))).toEqual(report);
    expect(await json(of('status'))).toMatchObject({
      about: { name: 'Gardens' },
      tags: ['master', 'winter'],
      stats: { total: 2 },
      files: 3,
      rules: 2,
    });
    const { files } = await json(of('files'));
    expect(files.map(({ uri }: Loose) => uri)).toContain(of('files/plan.png'));
  });

  test('lists a template for each kind, whose expansion by the SDK is read [resource-templates]', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    const values: Loose = {
      project: PROJECT,
      tag: 'master',
      name: 'plan.png',
      taskId: parked.taskId,
      operation: 'update',
    };
    const kinds = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(kinds).toEqual([
      'baton://projects/{project}/status{?tag}',
      'baton://projects/{project}/tasks{?tag}',
      'baton://projects/{project}/tasks/{id}{?tag}',
      'baton://projects/{project}/complexity-report{?tag}',
      'baton://projects/{project}/rules',
      'baton://projects/{project}/files',
      'baton://projects/{project}/files/{name}',
      'baton://tasks/{taskId}',
      'baton://interactions/{id}',
      'baton://prompts/{operation}',
    ]);
    for (const { uriTemplate, title, description } of resourceTemplates) {
      expect([title, description]).toEqual([expect.any(String), expect.any(String)]);
      const id = uriTemplate.startsWith('baton://interactions') ? parked.interactionId : '2';
      await read(new UriTemplate(uriTemplate).expand({ ...values, id }));
    }
    expect((await rpc('resources/templates/list', { cursor: 'x' })).body.error.code).toBe(-32602);
  });

  test('shows a task and a request as the tools show them [resource-delegation]', async () => {
    expect(await json(`baton://tasks/${parked.taskId}`)).toEqual(
      await call(client, 'task_status', { taskId: parked.taskId }),
    );
    expect(await json(`baton://tasks/${done.taskId}`)).toMatchObject({ status: 'completed', result: {} });
    const { interactions } = await call(client, 'pending_interactions', {
      interactionId: parked.interactionId,
    });
    expect([await json(`baton://interactions/${parked.interactionId}`)]).toEqual(interactions);
  });

  test("never tells another principal's or tenant's resource from one that never was [resource-tenancy]", async () => {
    const other = await baton.addTenant(`other-${shortWay}`);
    const own = await baton.key({ scopes: ['mcp'] });
    const never = '00000000-0000-8000-8000-000000000000';
    for (const [uri, nothing] of [
      [`baton://tasks/${parked.taskId}`, `baton://tasks/${never}`],
      [`baton://interactions/${parked.interactionId}`, `baton://interactions/${never.slice(0, -1)}1`],
    ] as const) {
      const idOf = (text: string) => text.slice(text.lastIndexOf('/') + 1);
      for (const key of [own, other]) {
        const told = JSON.stringify(await refusal(uri, key)).replaceAll(idOf(uri), 'ID');
        expect(told).toBe(JSON.stringify(await refusal(nothing, key)).replaceAll(idOf(nothing), 'ID'));
        expect(JSON.parse(told).code).toBe(-32002);
      }
      await read(uri, agent);
    }
    expect((await refusal(of('tasks'), other)).code).toBe(-32002);
    const ref = { type: 'ref/resource', uri: 'baton://projects/{project}/tasks{?tag}' };
    for (const argument of [
      { name: 'project', value: '' },
      { name: 'tag', value: '' },
    ]) {
      const asked = { ref, argument, context: { arguments: { project: PROJECT } } };
      expect((await rpc('completion/complete', asked)).body.result.completion.values).not.toEqual([]);
      expect((await rpc('completion/complete', asked, other)).body.result.completion.values).toEqual([]);
    }
    const seen = (await all(stranger)).map(({ uri }) => uri);
    expect(seen.filter((uri) => /^baton:\/\/(tasks|interactions)/.test(uri))).toEqual([]);
    expect(seen).toContain(of('tasks'));
  });

  test("lists to an agent the tenant's requests and no projects, which its scope does not reach [resource-scopes]", async () => {
    const seen = (await all(agent)).map(({ uri }) => uri);
    expect(seen).toContain(`baton://interactions/${parked.interactionId}`);
    expect(seen.filter((uri) => uri.startsWith('baton://projects'))).toEqual([]);
    const key = await baton.key({ scopes: ['agent'] });
    const { body } = await rpc('resources/read', { uri: of('tasks') }, key);
    expect(body.error.data).toMatchObject({ code: 'insufficient_scope', scope: 'mcp' });
    const nobody = await rpc('resources/list', {}, await baton.key({ scopes: ['admin'] }));
    expect(nobody.status).toBe(403);
    expect((await rpc('resources/read', { uri: 'baton://projects' }, '')).status).toBe(401);
  });

  test('counts a request for a resource once, whatever it asks, and refuses one too many with 429', async () => {
    const key = await baton.addTenant(`slow-${shortWay}`, { requestsPerSecond: 0.001, burst: 4 });
    const ref = { type: 'ref/resource', uri: 'baton://tasks/{taskId}' };
    const statuses = [];
    for (const [method, params] of [
      ['resources/list', {}],
      ['resources/read', { uri: 'baton://projects' }],
      ['resources/read', { uri: 'baton://nothing' }],
      ['completion/complete', { ref, argument: { name: 'taskId', value: '' } }],
      ['resources/templates/list', {}],
    ] as const)
      statuses.push((await rpc(method, params, key)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });

  test('refuses what is no resource with -32002 and its URI [resource-not-found]', async () => {
    for (const uri of [
      'baton://nothing',
      'baton://projects/',
      'baton://projects//tasks',
      'baton://projects/none/tasks',
      'baton://projects/%ZZ/tasks',
      of('nothing'),
      of('tasks/'),
      of('tasks/99'),
      of('tasks/1.9'),
      of('tasks/x'),
      of('tasks?tag=none'),
      of('tasks?tags=master'),
      of('tasks?tag=master&tag=winter'),
      of('tasks#top'),
      of('rules?tag=master'),
      of('complexity-report?tag=winter'),
      of('files/none.md'),
      `baton://tasks/${parked.interactionId}`,
      `baton://interactions/${parked.taskId}`,
      'baton://tasks/x',
      'baton://prompts/echo',
      'file:///etc/passwd',
      'x'.repeat(50_000),
      '',
    ]) {
      const { code, data } = await refusal(uri);
      expect([uri.slice(0, 100), code, data?.uri]).toEqual([uri.slice(0, 100), -32002, uri]);
    }
  });

  test('refuses broken params with -32602, never with -32603 [broken-request]', async () => {
    for (const params of [{}, { uri: 7 }, { uri: null }])
      expect((await rpc('resources/read', params)).body.error.code).toBe(-32602);
    expect((await rpc('resources/list', { cursor: 7 })).body.error.code).toBe(-32602);
    for (const params of [{}, { ref: 7 }, { ref: { type: 'ref/resource', uri: 'baton://projects' } }])
      expect((await rpc('completion/complete', params)).body.error.code).toBe(-32602);
  });

  test('pages what is much, each entry once, and refuses a broken cursor with -32602 [opaque-cursors]', async () => {
    const key = await baton.addTenant(`much-${shortWay}`);
    const much = await connect(baton.url(), key);
    try {
      const names = Array.from({ length: 120 }, (_, at) => `p${String(at).padStart(3, '0')}`);
      for (const projectRoot of names) await call(much, 'initialize_project', { projectRoot });
      for (let at = 0; at < 60; at++) await call(much, 'parse_prd', { prd: `Number ${at}`, tag: `t${at}` });
      const found = (await all(much)).map(({ uri }) => uri);
      expect(new Set(found).size).toBe(found.length);
      const counted = (pattern: RegExp) => found.filter((uri) => pattern.test(uri)).length;
      expect(counted(/^baton:\/\/projects\/p\d+\/status$/)).toBe(names.length);
      expect(counted(/^baton:\/\/interactions/)).toBe(60);
      expect(counted(/^baton:\/\/tasks/)).toBe(60);
      expect(await all(much)).toEqual(await all(much));
      const { nextCursor = '' } = await much.listResources();
      expect(nextCursor).toMatch(/^[\w-]+$/);
    } finally {
      await much.close();
    }
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const cursor of [
      '',
      'x',
      encoded([9, null]),
      encoded([1, 'x']),
      encoded([0, 7]),
      encoded({}),
      encoded(['0']),
    ])
      expect([cursor, (await rpc('resources/list', { cursor })).body.error?.code]).toEqual([cursor, -32602]);
  });

  test('completes every variable of every template [completion]', async () => {
    const values = async (
      uri: string,
      name: string,
      value = '',
      given?: Record<string, string>,
      by = client,
    ) => {
      const { completion } = await by.complete({
        ref: { type: 'ref/resource', uri },
        argument: { name, value },
        ...(given ? { context: { arguments: given } } : {}),
      });
      return completion.values;
    };
    const project = 'baton://projects/{project}/';
    const given = { project: PROJECT };
    expect(await values(`${project}tasks{?tag}`, 'project', 'c:\\h')).toEqual([PROJECT]);
    expect(await values(`${project}tasks{?tag}`, 'project', 'zzz')).toEqual([]);
    expect(await values(`${project}tasks{?tag}`, 'tag', 'w', given)).toEqual(['winter']);
    expect(await values(`${project}tasks{?tag}`, 'tag', 'w')).toEqual([]);
    expect(await values(`${project}tasks/{id}{?tag}`, 'id', '', given)).toEqual(['1', '1.1', '2']);
    expect(await values(`${project}tasks/{id}{?tag}`, 'id', '', { ...given, tag: 'winter' })).toEqual([]);
    expect(await values(`${project}files/{name}`, 'name', 'p', given)).toEqual(['plan.png']);
    expect(
      await values('baton://tasks/{taskId}', 'taskId', parked.taskId.slice(0, 12).toUpperCase()),
    ).toEqual([parked.taskId]);
    expect(await values('baton://tasks/{taskId}', 'taskId')).toHaveLength(4);
    expect(await values('baton://interactions/{id}', 'id')).toEqual([parked.interactionId]);
    expect(await values('baton://interactions/{id}', 'id', '', undefined, stranger)).toEqual([]);
    expect(await values('baton://prompts/{operation}', 'operation', 'exp')).toEqual([
      'expand_task',
      'expand_all',
    ]);
    const refused = async (ref: object, name: string) =>
      (await rpc('completion/complete', { ref, argument: { name, value: '' } })).body.error.code;
    expect(await refused({ type: 'ref/resource', uri: 'baton://nothing/{x}' }, 'x')).toBe(-32602);
    expect(await refused({ type: 'ref/resource', uri: 'baton://tasks/{taskId}' }, '__proto__')).toBe(-32602);
    expect(await refused({ type: 'ref/prompt', name: 'x' }, 'x')).toBe(-32602);
  });

  test('gives prompt texts as resources and by a tool, and never in a result or a directive [prompts-apart]', async () => {
    const { text, mimeType } = await read('baton://prompts/analyze_project_complexity');
    expect(mimeType).toBe('text/markdown');
    const told = await call(client, 'generate_prompt', { operation: 'analyze_project_complexity' });
    expect(text).toContain(told.system);
    expect(JSON.stringify(done.outcome.result)).not.toContain(told.system.slice(0, 60));
    expect(JSON.stringify(await json(`baton://tasks/${done.taskId}`))).not.toContain(
      told.system.slice(0, 60),
    );
  });
});
