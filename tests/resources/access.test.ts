import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ResourceFixture, projectUri, PROJECT } from './resource-fixture.ts';

describe.each([
  ['the short way', true],
  ["the SDK's way", false],
])('access to resources over %s', (_way, fastPath) => {
  let garden: ResourceFixture;
  beforeAll(async () => {
    garden = await ResourceFixture.start(fastPath);
  });
  afterAll(() => garden?.stop());

  test("never tells another principal's or tenant's resource from one that never was [resource-tenancy]", async () => {
    const other = await garden.baton.addTenant(`other-${fastPath}`);
    const own = await garden.baton.createKey({ scopes: ['mcp'] });
    const never = '00000000-0000-8000-8000-000000000000';
    for (const [uri, nothing] of [
      [`baton://tasks/${garden.parkedCall.taskId}`, `baton://tasks/${never}`],
      [
        `baton://interactions/${garden.parkedCall.interactionId}`,
        `baton://interactions/${never.slice(0, -1)}1`,
      ],
    ] as const) {
      const idOf = (text: string) => text.slice(text.lastIndexOf('/') + 1);
      for (const key of [own, other]) {
        const told = JSON.stringify(await garden.readError(uri, key)).replaceAll(idOf(uri), 'ID');
        expect(told).toBe(
          JSON.stringify(await garden.readError(nothing, key)).replaceAll(idOf(nothing), 'ID'),
        );
        expect(JSON.parse(told).code).toBe(-32002);
      }
      await garden.read(uri, garden.agent);
    }
    expect((await garden.readError(projectUri('tasks'), other)).code).toBe(-32002);
    const ref = { type: 'ref/resource', uri: 'baton://projects/{project}/tasks{?tag}' };
    for (const argument of [
      { name: 'project', value: '' },
      { name: 'tag', value: '' },
    ]) {
      const asked = { ref, argument, context: { arguments: { project: PROJECT } } };
      expect((await garden.rpc('completion/complete', asked)).body.result.completion.values).not.toEqual([]);
      expect((await garden.rpc('completion/complete', asked, other)).body.result.completion.values).toEqual(
        [],
      );
    }
    const seen = (await garden.listResources(garden.otherPrincipal)).map(({ uri }) => uri);
    expect(seen.filter((uri) => /^baton:\/\/(tasks|interactions)/.test(uri))).toEqual([]);
    expect(seen).toContain(projectUri('tasks'));
  });

  test("lists to an agent the tenant's requests and no projects, which its scope does not reach [resource-scopes]", async () => {
    const seen = (await garden.listResources(garden.agent)).map(({ uri }) => uri);
    expect(seen).toContain(`baton://interactions/${garden.parkedCall.interactionId}`);
    expect(seen.filter((uri) => uri.startsWith('baton://projects'))).toEqual([]);
    const key = await garden.baton.createKey({ scopes: ['agent'] });
    const { body } = await garden.rpc('resources/read', { uri: projectUri('tasks') }, key);
    expect(body.error.data).toMatchObject({ code: 'insufficient_scope', scope: 'mcp' });
    const nobody = await garden.rpc(
      'resources/list',
      {},
      await garden.baton.createKey({ scopes: ['admin'] }),
    );
    expect(nobody.status).toBe(403);
    expect((await garden.rpc('resources/read', { uri: 'baton://projects' }, '')).status).toBe(401);
  });

  test('counts a request for a resource once, whatever it asks, and refuses one too many with 429', async () => {
    const key = await garden.baton.addTenant(`slow-${fastPath}`, { requestsPerSecond: 0.001, burst: 4 });
    const ref = { type: 'ref/resource', uri: 'baton://tasks/{taskId}' };
    const statuses = [];
    for (const [method, params] of [
      ['resources/list', {}],
      ['resources/read', { uri: 'baton://projects' }],
      ['resources/read', { uri: 'baton://nothing' }],
      ['completion/complete', { ref, argument: { name: 'taskId', value: '' } }],
      ['resources/templates/list', {}],
    ] as const)
      statuses.push((await garden.rpc(method, params, key)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });
});
