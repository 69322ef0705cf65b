import { projectTools } from '@baton/operations';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool, connectMcpClient, type AnyJson } from '../harness/mcp-client.ts';
import { ResourceFixture, projectUri, PNG, PROJECT } from './resource-fixture.ts';

describe('lists of resources', () => {
  let fixture: ResourceFixture;
  beforeAll(async () => {
    fixture = await ResourceFixture.start();
  });
  afterAll(() => fixture?.stop());

  test('declares resources and completions [resources-capability]', async () => {
    const connected = await connectMcpClient(fixture.baton.url(), fixture.baton.apiKey);
    expect(connected.getServerCapabilities()).toMatchObject({ resources: {}, completions: {} });
  });

  test("lists the caller's resources, each of which can be read [resources-list]", async () => {
    const resources = await fixture.listResources(fixture.client);
    const added = await fixture.addedTasks();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'baton://projects',
      'baton://usage',
      projectUri('status'),
      projectUri('tasks'),
      projectUri('complexity-report'),
      projectUri('complexity-report/chart'),
      projectUri('rules'),
      projectUri('files'),
      projectUri('files/broken.png'),
      projectUri(`files/${encodeURIComponent('docs/prd é.md')}`),
      projectUri('files/plan.png'),
      `baton://interactions/${fixture.parkedCall.interactionId}`,
      `baton://tasks/${fixture.parkedCall.taskId}`,
      `baton://tasks/${fixture.completedCall.taskId}`,
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
        'scope_up_task',
        'scope_down_task',
        'research',
        'ask_assistant',
        'call_prompt',
        'classify',
        'binary_classify',
        ...projectTools.map(({ name }) => name).filter((name) => name !== 'generate_prompt'),
        'init-success',
      ].map((operation) => `baton://prompts/${operation}`),
    ]);
    for (const { uri, mimeType, size } of resources) {
      const content = await fixture.read(uri);
      expect([uri, content.mimeType]).toEqual([uri, mimeType]);
      const bytes = Buffer.from(content.text ?? content.blob, content.text === undefined ? 'base64' : 'utf8');
      if (size !== undefined) expect([uri, bytes.length]).toEqual([uri, size]);
    }
  });

  test('lists each resource with its name, type, audience and last modification [resource-metadata]', async () => {
    const { resources } = (await fixture.rpc('resources/list')).body.result;
    for (const one of resources) {
      expect(one).toMatchObject({
        name: expect.any(String),
        title: expect.any(String),
        description: expect.any(String),
        mimeType: expect.stringMatching(/^\w+\/\w+/),
        annotations: { audience: expect.any(Array), priority: expect.any(Number) },
      });
    }
    const sized = Object.fromEntries(resources.map((one: AnyJson) => [one.uri, one.size]));
    expect(sized[projectUri('files/plan.png')]).toBe(PNG.length);
    expect(sized[projectUri(`files/${encodeURIComponent('docs/prd é.md')}`)]).toBe(9);
    for (const path of ['tasks', 'status', 'complexity-report', 'files/plan.png']) {
      const { annotations } = resources.find(({ uri }: AnyJson) => uri === projectUri(path));
      expect([path, annotations.lastModified]).toEqual([path, expect.stringMatching(/^\d{4}-.*Z$/)]);
    }
  });

  test('lists a template for each kind of resource, whose expansion by the SDK can be read [resource-templates, task-template]', async () => {
    const { resourceTemplates } = await fixture.client.listResourceTemplates();
    const anyone = { principal: '', scopes: new Set(['admin'] as const) };
    await fixture.baton.store
      .tenant('acme')
      .workflows.put(anyone, 'plan', { definition: { name: 'plan', steps: [] } });
    const agent = { definition: { id: 'writer' }, summary: { name: 'Writer' } };
    await fixture.baton.store.tenant('acme').agents.put(anyone, 'writer', agent);
    const values: AnyJson = {
      project: PROJECT,
      tag: 'master',
      name: 'plan.png',
      taskId: fixture.parkedCall.taskId,
      operation: 'update',
      n: '1',
    };
    const kinds = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(kinds).toEqual([
      'baton://projects{?cursor}',
      'baton://projects/{project}/status{?tag}',
      'baton://projects/{project}/tasks{?tag}',
      'baton://projects/{project}/tasks/{id}{?tag}',
      'baton://projects/{project}/tasks/{id}/attachments/{n}{?tag}',
      'baton://projects/{project}/complexity-report{?tag}',
      'baton://projects/{project}/complexity-report/chart{?tag}',
      'baton://projects/{project}/rules',
      'baton://projects/{project}/files',
      'baton://projects/{project}/files/{name}',
      'baton://tasks/{taskId}',
      'baton://interactions/{id}',
      'baton://prompts/{operation}',
      'baton://workflows/{name}',
      'baton://agents/{id}',
    ]);
    for (const { uriTemplate, title, description } of resourceTemplates) {
      expect([title, description]).toEqual([expect.any(String), expect.any(String)]);
      const ids: Readonly<Record<string, string>> = {
        'baton://interactions/{id}': fixture.parkedCall.interactionId,
        'baton://agents/{id}': 'writer',
      };
      const id = ids[uriTemplate] ?? '2';
      const name = uriTemplate.startsWith('baton://workflows') ? 'plan' : values.name;
      await fixture.read(new UriTemplate(uriTemplate).expand({ ...values, id, name }));
    }
    expect((await fixture.rpc('resources/templates/list', { cursor: 'x' })).body.error.code).toBe(-32602);
  });

  test('pages long lists with each entry once, and refuses an invalid cursor with -32602 [opaque-cursors]', async () => {
    const key = await fixture.baton.addTenant('much', { projects: 200 });
    const much = await connectMcpClient(fixture.baton.url(), key);
    try {
      const names = Array.from({ length: 120 }, (_, at) => `p${String(at).padStart(3, '0')}`);
      for (const projectRoot of names) await callTool(much, 'initialize_project', { projectRoot });
      for (let at = 0; at < 60; at++)
        await callTool(much, 'parse_prd', { prd: `Number ${at}`, tag: `t${at}` });
      const found = (await fixture.listResources(much)).map(({ uri }) => uri);
      expect(new Set(found).size).toBe(found.length);
      const counted = (pattern: RegExp) => found.filter((uri) => pattern.test(uri)).length;
      expect(counted(/^baton:\/\/projects\/p\d+\/status$/)).toBe(names.length);
      expect(counted(/^baton:\/\/interactions/)).toBe(60);
      expect(counted(/^baton:\/\/tasks/)).toBe(60);
      expect(await fixture.listResources(much)).toEqual(await fixture.listResources(much));
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
      expect([cursor, (await fixture.rpc('resources/list', { cursor })).body.error?.code]).toEqual([
        cursor,
        -32602,
      ]);
  });

  test('completes every variable of every template [completion]', async () => {
    const values = async (
      uri: string,
      name: string,
      value = '',
      given?: Record<string, string>,
      by = fixture.client,
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
    expect(await values('baton://projects{?cursor}', 'cursor', '')).toEqual([]);
    expect(await values(`${project}tasks/{id}{?tag}`, 'id', '', given)).toEqual(['1', '1.1', '2']);
    expect(await values(`${project}tasks/{id}{?tag}`, 'id', '', { ...given, tag: 'winter' })).toEqual([]);
    expect(await values(`${project}files/{name}`, 'name', 'p', given)).toEqual(['plan.png']);
    expect(
      await values('baton://tasks/{taskId}', 'taskId', fixture.parkedCall.taskId.slice(0, 12).toUpperCase()),
    ).toEqual([fixture.parkedCall.taskId]);
    expect(await values('baton://tasks/{taskId}', 'taskId')).toHaveLength(4);
    expect(await values('baton://interactions/{id}', 'id')).toEqual([fixture.parkedCall.interactionId]);
    expect(await values('baton://interactions/{id}', 'id', '', undefined, fixture.otherPrincipal)).toEqual(
      [],
    );
    expect(await values('baton://prompts/{operation}', 'operation', 'exp')).toEqual([
      'expand_task',
      'expand_all',
    ]);
    // The contract of resources has some without their query.
    expect(await values(`${project}tasks/{id}`, 'id', '', given)).toEqual(['1', '1.1', '2']);
    const refused = async (ref: object, name: string) =>
      (await fixture.rpc('completion/complete', { ref, argument: { name, value: '' } })).body.error.code;
    expect(await refused({ type: 'ref/resource', uri: 'baton://nothing/{x}' }, 'x')).toBe(-32602);
    expect(await refused({ type: 'ref/resource', uri: 'baton://tasks/{taskId}' }, '__proto__')).toBe(-32602);
    expect(await refused({ type: 'ref/prompt', name: 'x' }, 'x')).toBe(-32602);
  });

  test('repeats 2,048 characters of a URI in an error', async () => {
    const uri = `baton://${'x'.repeat(70_000)}`;
    const argument = { name: 'x', value: '' };
    const asked = { ref: { type: 'ref/resource', uri }, argument };
    const completed = (await fixture.rpc('completion/complete', asked)).body.error;
    expect(completed.data.ref).toEqual({ type: 'ref/resource', uri: uri.slice(0, 2_048) });
    const read = (await fixture.rpc('resources/read', { uri })).body.error;
    expect(read.data.uri).toBe(uri.slice(0, 2_048));
  });
});
