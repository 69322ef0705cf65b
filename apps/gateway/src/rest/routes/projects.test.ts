import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestTenant,
  TEST_OPERATOR_TOKEN,
  type TestReplicas,
  startTestReplicas,
} from '../testing/test-replicas.ts';

let replicas: TestReplicas;
beforeAll(async () => {
  replicas = await startTestReplicas();
});
afterAll(() => replicas.stop());

const file = {
  master: {
    tasks: [
      {
        id: 1,
        title: 'Lay the foundation',
        description: 'Größe: 5 × 3 – ☃',
        status: 'done',
        priority: 'high',
        dependencies: [],
        subtasks: [{ id: 1, title: 'Dig', description: '', status: 'done', dependencies: [] }],
        'x-of-someone-else': { kept: [1, null, 'as it is'] },
      },
      {
        id: 4,
        title: 'Roof',
        description: '',
        status: 'pending',
        priority: 'low',
        dependencies: [1],
        subtasks: [],
      },
    ],
    metadata: {
      created: '2025-01-01T00:00:00.000Z',
      updated: '2025-01-02T00:00:00.000Z',
      description: 'Main',
    },
  },
  'feature.a': {
    tasks: [],
    metadata: {
      created: '2025-01-01T00:00:00.000Z',
      updated: '2025-01-02T00:00:00.000Z',
      description: 'Later',
    },
    extra: true,
  },
};

test('a tasks.json that goes in over one replica comes out of the other as it was', async () => {
  const { one, other } = replicas;
  const { mcp, admin } = await createTestTenant(one);
  const path = `/v1/projects/${encodeURIComponent('/home/me/my shop ☃')}`;
  const put = await one.send('PUT', path, { token: mcp, json: file });
  expect([put.status, put.body]).toEqual([
    200,
    {
      projectRoot: '/home/me/my shop ☃',
      currentTag: 'master',
      taskCounts: { master: 2, 'feature.a': 0 },
      repairs: [],
    },
  ]);
  const got = await other.send('GET', path, { token: admin });
  expect(got.text).toBe(JSON.stringify(file));
  const names = await other.send('GET', '/v1/projects', { token: mcp });
  expect(names.body).toEqual({
    projects: [
      {
        projectRoot: '/home/me/my shop ☃',
        bytes: expect.any(Number),
        lastUsedAt: expect.stringMatching(/Z$/),
      },
    ],
  });
});

test('a file takes the place of all that was there', async () => {
  const { one } = replicas;
  const { id, mcp } = await createTestTenant(one);
  await one.send('PUT', '/v1/projects/default', { token: mcp, json: file });
  const untagged = { tasks: [{ id: '7', title: 'Only', description: 'one', dependencies: [99] }] };
  const put = await one.send('PUT', `/v1/tenants/${id}/projects/default`, {
    token: TEST_OPERATOR_TOKEN,
    json: untagged,
  });
  expect(put.body).toMatchObject({
    taskCounts: { master: 1 },
    replacedTasks: 2,
    repairs: [
      { place: 'master.tasks.0.id', problem: 'is "7"; it is 7 now' },
      { place: 'master.tasks.0.dependencies', problem: expect.stringContaining('99 names nothing') },
    ],
  });
  const { body } = await one.send('GET', '/v1/projects/default', { token: mcp });
  expect(Object.keys(body)).toEqual(['master']);
  expect(body.master.tasks[0]).toMatchObject({ id: 7, status: 'pending', dependencies: [] });
});

test('an import and a deletion land once under their Idempotency-Key, whatever is there since', async () => {
  const { one, other } = replicas;
  const { mcp } = await createTestTenant(one, { requestsPerSecond: 1_000_000, burst: 1_000_000 });
  const path = '/v1/projects/once';
  const send = (replica: typeof one, method: string, key: string, json?: object) =>
    replica.send(method, path, {
      token: mcp,
      headers: { 'idempotency-key': key },
      ...(json && { json }),
    });
  const tasks = (title: string) => ({
    tasks: Array.from({ length: 300 }, (_, at) => ({ id: at + 1, title, details: 'x'.repeat(2_000) })),
  });
  const first = await send(one, 'PUT', 'put', tasks('first'));
  expect([first.status, first.body.replayed]).toEqual([200, undefined]);
  await send(one, 'PUT', 'later', tasks('second'));
  const again = await send(other, 'PUT', 'put', tasks('first'));
  expect([again.status, again.body]).toEqual([200, { ...first.body, replayed: true }]);
  const { body } = await other.send('GET', path, { token: mcp });
  expect(body.master.tasks[0].title).toBe('second');
  expect((await send(other, 'PUT', 'put', tasks('third'))).body.code).toBe('idempotency_conflict');
  const strict = await other.send('PUT', `${path}?strict=true`, {
    token: mcp,
    json: tasks('first'),
    headers: { 'idempotency-key': 'put' },
  });
  expect(strict.body.code, 'strict is an argument too').toBe('idempotency_conflict');
  expect((await send(one, 'PUT', '', tasks('first'))).body.field).toBe('Idempotency-Key');

  expect((await send(one, 'DELETE', 'gone')).status).toBe(204);
  await send(one, 'PUT', 'new', tasks('new'));
  expect((await send(other, 'DELETE', 'gone')).status).toBe(204);
  const byTool = await other.send('POST', '/v1/tools/delete_project', {
    token: mcp,
    json: { projectRoot: 'once' },
    headers: { 'idempotency-key': 'gone' },
  });
  expect(byTool.body).toEqual({ projectRoot: 'once', deleted: true, replayed: true });
  expect((await other.send('GET', path, { token: mcp })).status).toBe(200);
});

test('a file without a tag, and with strict a damaged one, changes nothing and is told where', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  await one.send('PUT', '/v1/projects/default', { token: mcp, json: file });
  const task = { id: 1, title: 'T', description: '' };
  const wrong: [field: string, file: unknown][] = [
    ['body', []],
    ['body', 'text'],
    ['file', {}],
    ['file', { master: [] }],
    ['file', { master: { tasks: {} } }],
    ['file', { master: { tasks: [{ id: 1 }] } }],
    ['file', { tasks: [{ ...task, status: 'sideways' }] }],
    ['file', { 'bad tag!': { tasks: [] } }],
    ['file', { tasks: [{ ...task, dependencies: [1] }] }],
  ];
  for (const [field, json] of wrong) {
    const answer = await one.send('PUT', '/v1/projects/default?strict=true', { token: mcp, json });
    expect([answer.body.field, answer.status]).toEqual([field, 400]);
    const other = await one.send('PUT', '/v1/projects/new?strict=true', { token: mcp, json });
    expect(other.status).toBe(answer.status);
  }
  expect((await one.send('GET', '/v1/projects/default', { token: mcp })).text).toBe(JSON.stringify(file));
  const names = await one.send('GET', '/v1/projects', { token: mcp });
  expect(names.body.projects).toMatchObject([{ projectRoot: 'default' }]);
});

test('strict names every problem of a file at once', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  const tasks = Array.from({ length: 9 }, (_, at) => ({ id: at, title: '', status: 'asleep' }));
  const refused = await one.send('PUT', '/v1/projects/p?strict=true', { token: mcp, json: { tasks } });
  expect(refused.body).toMatchObject({ code: 'invalid_arguments' });
  expect(refused.body.detail).toContain('master.tasks.0.id');
  // The id 0, and nine titles and statuses.
  expect(refused.body.problems).toHaveLength(19);
  const taken = await one.send('PUT', '/v1/projects/p', { token: mcp, json: { tasks } });
  expect(taken.body.repairs).toEqual(refused.body.problems);
});

test('an import has a limit of its own, whatever requests may have', async () => {
  const { one } = replicas;
  const { mcp, admin } = await createTestTenant(one, {
    requestBytes: 10_000,
    requestsPerSecond: 1_000_000,
    burst: 1_000_000,
  });
  const details = 'x'.repeat(100_000);
  const large = (count: number) => ({
    tasks: Array.from({ length: count }, (_, at) => ({ id: at + 1, title: 'T', details })),
  });
  expect((await one.send('PUT', '/v1/projects/p', { token: mcp, json: large(50) })).status).toBe(200);
  const refused = await one.send('PUT', '/v1/projects/p', { token: admin, json: large(170) });
  expect([refused.status, refused.body.code]).toEqual([413, 'limit_size']);
});

test('a project of another tenant is not found, like one that never was', async () => {
  const { one } = replicas;
  const [tenant, foreign] = [await createTestTenant(one), await createTestTenant(one)];
  await one.send('PUT', '/v1/projects/secret', { token: tenant.mcp, json: file });
  const theirs = await one.send('GET', '/v1/projects/secret', { token: foreign.mcp });
  const none = await one.send('GET', '/v1/projects/nowhat', { token: foreign.mcp });
  expect([theirs.status, theirs.body.code]).toEqual([404, 'project_not_found']);
  expect(theirs.text.replaceAll('secret', 'nowhat')).toBe(none.text);
});

test('a project may have the longest key that tools take', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  const key = `/${'ü'.repeat(1_023)}`;
  const path = `/v1/projects/${encodeURIComponent(key)}`;
  expect((await one.send('PUT', path, { token: mcp, json: file })).status).toBe(200);
  expect((await one.send('GET', path, { token: mcp })).status).toBe(200);
  const longer = await one.send('GET', `${path}x`, { token: mcp });
  expect([longer.status, longer.body.field]).toEqual([400, 'id']);
});
