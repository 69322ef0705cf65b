import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool, type AnyJson } from '../harness/mcp-client.ts';
import { ResourceFixture, projectUri, PNG, PROJECT } from './resource-fixture.ts';

describe('reading resources', () => {
  let fixture: ResourceFixture;
  beforeAll(async () => {
    fixture = await ResourceFixture.start();
  });
  afterAll(() => fixture?.stop());

  test("returns a resource's name, title, type and annotations with its contents [resource-contents]", async () => {
    const { contents } = (await fixture.rpc('resources/read', { uri: projectUri('rules') })).body.result;
    expect(contents).toEqual([
      {
        uri: projectUri('rules'),
        name: 'rules',
        title: 'Rules of a project',
        mimeType: 'text/markdown',
        text: '# Rules of Gardens\n\n- Water at dawn\n\n## Tools\n\nClean them.\n\n',
        size: 60,
        annotations: { audience: ['user', 'assistant'], priority: 0.8 },
      },
    ]);
  });

  test('returns texts as text and binary data as base64, never one as the other [resource-text-binary]', async () => {
    const text = await fixture.read(projectUri(`files/${encodeURIComponent('docs/prd é.md')}`));
    expect(text).toMatchObject({ mimeType: 'text/markdown', text: '# Gärten' });
    const image = await fixture.read(projectUri('files/plan.png'));
    expect(image).toMatchObject({ mimeType: 'image/png', blob: PNG.toString('base64') });
    expect(image).not.toHaveProperty('text');
    expect(await fixture.read(projectUri('files/broken.png'))).toMatchObject({
      mimeType: 'text/plain',
      text: 'data:image/png;base64,not base64',
    });
  });

  test('returns the same project data as the project tools [resources-of-project, project-resources]', async () => {
    expect((await fixture.readJson('baton://projects')).projects).toEqual([
      {
        projectRoot: PROJECT,
        lastUsedAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
        status: projectUri('status'),
        tasks: projectUri('tasks'),
      },
    ]);
    const listed = await callTool(fixture.client, 'get_tasks', { projectRoot: PROJECT, withSubtasks: true });
    expect(await fixture.readJson(projectUri('tasks'))).toEqual(listed);
    expect(listed.tasks).toHaveLength(2);
    // As tools take them: a key with a slash at its end, and a tag that is left empty.
    const withSlash = `baton://projects/${encodeURIComponent(`${PROJECT}/`)}/tasks?tag=`;
    expect(await fixture.readJson(withSlash)).toEqual(listed);
    expect(await fixture.readJson(projectUri('tasks?tag=winter'))).toMatchObject({
      tag: 'winter',
      tasks: [],
    });
    for (const id of ['1', '1.1'])
      expect(await fixture.readJson(projectUri(`tasks/${id}`))).toEqual(
        await callTool(fixture.client, 'get_task', { projectRoot: PROJECT, id }),
      );
    const { report } = await callTool(fixture.client, 'complexity_report', { projectRoot: PROJECT });
    expect(await fixture.readJson(projectUri('complexity-report'))).toEqual(report);
    expect(await fixture.readJson(projectUri('status'))).toMatchObject({
      about: { name: 'Gardens' },
      tags: ['master', 'winter'],
      stats: { total: 2 },
      files: 3,
      rules: 2,
    });
    const { files } = await fixture.readJson(projectUri('files'));
    expect(files.map(({ uri }: AnyJson) => uri)).toContain(projectUri('files/plan.png'));
  });

  test('returns the same task and request as the tools [resource-delegation]', async () => {
    expect(await fixture.readJson(`baton://tasks/${fixture.parkedCall.taskId}`)).toEqual(
      await callTool(fixture.client, 'task_status', { taskId: fixture.parkedCall.taskId }),
    );
    expect(await fixture.readJson(`baton://tasks/${fixture.completedCall.taskId}`)).toMatchObject({
      status: 'completed',
      result: {},
    });
    const { interactions } = await callTool(fixture.client, 'pending_interactions', {
      interactionId: fixture.parkedCall.interactionId,
    });
    expect([await fixture.readJson(`baton://interactions/${fixture.parkedCall.interactionId}`)]).toEqual(
      interactions,
    );
  });

  test('refuses an unknown resource with -32002 and its URI [resource-not-found]', async () => {
    for (const uri of [
      'baton://nothing',
      'baton://projects/',
      'baton://projects//tasks',
      'baton://projects/none/tasks',
      'baton://projects/%ZZ/tasks',
      projectUri('nothing'),
      projectUri('tasks/'),
      projectUri('tasks/99'),
      projectUri('tasks/1.9'),
      projectUri('tasks/x'),
      projectUri('tasks?tag=none'),
      projectUri('tasks?tags=master'),
      projectUri('tasks?tag=master&tag=winter'),
      projectUri('tasks#top'),
      projectUri('rules?tag=master'),
      projectUri('complexity-report?tag=winter'),
      projectUri('complexity-report/chart?tag=winter'),
      'baton://projects/none/complexity-report/chart',
      projectUri('files/none.md'),
      `baton://tasks/${fixture.parkedCall.interactionId}`,
      `baton://interactions/${fixture.parkedCall.taskId}`,
      'baton://tasks/x',
      'baton://prompts/echo',
      'file:///etc/passwd',
      'x'.repeat(50_000),
      '',
    ]) {
      const { code, data } = await fixture.readError(uri);
      expect([uri.slice(0, 100), code, data?.uri]).toEqual([uri.slice(0, 100), -32002, uri.slice(0, 2_048)]);
    }
  });

  test('refuses invalid params with -32602, never with -32603 [invalid-params]', async () => {
    for (const params of [{}, { uri: 7 }, { uri: null }])
      expect((await fixture.rpc('resources/read', params)).body.error.code).toBe(-32602);
    expect((await fixture.rpc('resources/list', { cursor: 7 })).body.error.code).toBe(-32602);
    for (const params of [{}, { ref: 7 }, { ref: { type: 'ref/resource', uri: 'baton://projects' } }])
      expect((await fixture.rpc('completion/complete', params)).body.error.code).toBe(-32602);
  });

  test('returns prompt texts as resources and by a tool, and never in a result or a directive [prompts-apart]', async () => {
    const { text, mimeType } = await fixture.read('baton://prompts/analyze_project_complexity');
    expect(mimeType).toBe('text/markdown');
    const told = await callTool(fixture.client, 'generate_prompt', {
      operation: 'analyze_project_complexity',
    });
    expect(text).toContain(told.system);
    expect(JSON.stringify(fixture.completedCall.outcome.result)).not.toContain(told.system.slice(0, 60));
    expect(
      JSON.stringify(await fixture.readJson(`baton://tasks/${fixture.completedCall.taskId}`)),
    ).not.toContain(told.system.slice(0, 60));
  });
});
