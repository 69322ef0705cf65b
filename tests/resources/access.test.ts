import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ResourceFixture, projectUri, PROJECT } from './resource-fixture.ts';

describe('access to resources', () => {
  let fixture: ResourceFixture;
  beforeAll(async () => {
    fixture = await ResourceFixture.start();
  });
  afterAll(() => fixture?.stop());

  test("answers for another principal's or tenant's resource exactly as for one that never existed [resource-tenancy]", async () => {
    const other = await fixture.baton.addTenant('other');
    const own = await fixture.baton.createKey({ scopes: ['mcp'] });
    const never = '00000000-0000-8000-8000-000000000000';
    for (const [uri, nothing] of [
      [`baton://tasks/${fixture.parkedCall.taskId}`, `baton://tasks/${never}`],
      [
        `baton://interactions/${fixture.parkedCall.interactionId}`,
        `baton://interactions/${never.slice(0, -1)}1`,
      ],
    ] as const) {
      const idOf = (text: string) => text.slice(text.lastIndexOf('/') + 1);
      for (const key of [own, other]) {
        const told = JSON.stringify(await fixture.readError(uri, key)).replaceAll(idOf(uri), 'ID');
        expect(told).toBe(
          JSON.stringify(await fixture.readError(nothing, key)).replaceAll(idOf(nothing), 'ID'),
        );
        expect(JSON.parse(told).code).toBe(-32002);
      }
      await fixture.read(uri, fixture.agent);
    }
    expect((await fixture.readError(projectUri('tasks'), other)).code).toBe(-32002);
    const ref = { type: 'ref/resource', uri: 'baton://projects/{project}/tasks{?tag}' };
    for (const argument of [
      { name: 'project', value: '' },
      { name: 'tag', value: '' },
    ]) {
      const asked = { ref, argument, context: { arguments: { project: PROJECT } } };
      expect((await fixture.rpc('completion/complete', asked)).body.result.completion.values).not.toEqual([]);
      expect((await fixture.rpc('completion/complete', asked, other)).body.result.completion.values).toEqual(
        [],
      );
    }
    const seen = (await fixture.listResources(fixture.otherPrincipal)).map(({ uri }) => uri);
    expect(seen.filter((uri) => /^baton:\/\/(tasks|interactions)/.test(uri))).toEqual([]);
    expect(seen).toContain(projectUri('tasks'));
  });

  test("lists the tenant's requests to an agent, and never projects, which need another scope [resource-scopes]", async () => {
    const seen = (await fixture.listResources(fixture.agent)).map(({ uri }) => uri);
    expect(seen).toContain(`baton://interactions/${fixture.parkedCall.interactionId}`);
    expect(seen.filter((uri) => uri.startsWith('baton://projects'))).toEqual([]);
    const key = await fixture.baton.createKey({ scopes: ['agent'] });
    const { body } = await fixture.rpc('resources/read', { uri: projectUri('tasks') }, key);
    expect(body.error.data).toMatchObject({ code: 'insufficient_scope', scope: 'mcp' });
    const nobody = await fixture.rpc(
      'resources/list',
      {},
      await fixture.baton.createKey({ scopes: ['admin'] }),
    );
    expect(nobody.status).toBe(403);
    expect((await fixture.rpc('resources/read', { uri: 'baton://projects' }, '')).status).toBe(401);
  });

  test('counts each resource request once against the rate limit, and answers 429 beyond it', async () => {
    const key = await fixture.baton.addTenant('slow', { requestsPerSecond: 0.001, burst: 4 });
    const ref = { type: 'ref/resource', uri: 'baton://tasks/{taskId}' };
    const statuses = [];
    for (const [method, params] of [
      ['resources/list', {}],
      ['resources/read', { uri: 'baton://projects' }],
      ['resources/read', { uri: 'baton://nothing' }],
      ['completion/complete', { ref, argument: { name: 'taskId', value: '' } }],
      ['resources/templates/list', {}],
    ] as const)
      statuses.push((await fixture.rpc(method, params, key)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });
});
