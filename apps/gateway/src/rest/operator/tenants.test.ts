import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestKey,
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

const operator = { token: TEST_OPERATOR_TOKEN };

test('a tenant that is created over one replica is usable at once on the other', async () => {
  const { one, other } = replicas;
  const created = await one.send('POST', '/v1/tenants', {
    ...operator,
    json: { id: 'acme', name: 'Acme, Inc.', limits: { burst: 7 } },
  });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ id: 'acme', name: 'Acme, Inc.', suspended: false, openTasks: 0 });
  expect(created.body.limits).toMatchObject({ burst: 7, requestsPerSecond: 100 });

  const key = await createTestKey(one, 'acme', ['mcp']);
  const { taskId } = await other.delegate(key);
  expect((await one.send('GET', `/v1/tasks/${taskId}`, { token: key })).status).toBe(200);
  expect((await other.send('GET', '/v1/tenants/acme', operator)).body).toMatchObject({ openTasks: 1 });
});

test('a second tenant of the same id is refused and changes nothing', async () => {
  const { one } = replicas;
  await one.send('POST', '/v1/tenants', { ...operator, json: { id: 'twice', name: 'First' } });
  const again = await one.send('POST', '/v1/tenants', { ...operator, json: { id: 'twice', name: 'Second' } });
  expect([again.status, again.body.code]).toEqual([409, 'tenant_exists']);
  expect((await one.send('GET', '/v1/tenants/twice', operator)).body.name).toBe('First');
});

test('a change keeps what it does not name, and an empty one is refused, naming what may be changed', async () => {
  const { one, other } = replicas;
  const made = await one.send('POST', '/v1/tenants', {
    ...operator,
    json: { id: 'changing', name: 'Before', limits: { burst: 50 } },
  });
  const change = (json: object) => one.send('PATCH', '/v1/tenants/changing', { ...operator, json });
  for (const empty of [{}, { limits: {} }]) {
    const { status, body } = await change(empty);
    expect([status, body.code, body.field]).toEqual([400, 'invalid_arguments', 'body']);
    expect(body.detail).toContain('name, suspended or one of limits');
  }
  await change({ name: 'After' });
  await change({ limits: { openTasks: 3 } });
  const { body } = await other.send('GET', '/v1/tenants/changing', operator);
  expect(body).toMatchObject({ name: 'After', suspended: false });
  expect(body.limits).toEqual({ ...made.body.limits, burst: 50, openTasks: 3 });
});

test('a limit of null has its default again, as one that a new tenant is not given', async () => {
  const { one, other } = replicas;
  const tenant = await createTestTenant(one, { burst: 7, openTasks: 3 });
  const changed = await one.send('PATCH', `/v1/tenants/${tenant.id}`, {
    ...operator,
    json: { limits: { burst: null, projects: 5 } },
  });
  expect(changed.body.limits).toMatchObject({ burst: 200, openTasks: 3, projects: 5 });
  const { body } = await other.send('GET', `/v1/tenants/${tenant.id}`, operator);
  expect(body.limits).toEqual(changed.body.limits);
});

test('a suspended tenant is refused on every replica at once, and served again when it is resumed', async () => {
  const { one, other } = replicas;
  const tenant = await createTestTenant(one);
  const read = async () => {
    const answer = await other.send('GET', '/v1/tasks', { token: tenant.mcp });
    return [answer.status, answer.body.code];
  };
  expect(await read()).toEqual([200, undefined]);
  const suspend = (suspended: boolean) =>
    one.send('PATCH', `/v1/tenants/${tenant.id}`, { ...operator, json: { suspended } });
  expect((await suspend(true)).body.suspended).toBe(true);
  expect(await read()).toEqual([403, 'tenant_suspended']);
  // The operator still sees what it has.
  expect((await other.send('GET', `/v1/tenants/${tenant.id}/tasks`, operator)).status).toBe(200);
  await suspend(false);
  expect(await read()).toEqual([200, undefined]);
});

test('a lowered limit counts from the next request on, on the other replica too', async () => {
  const { one, other } = replicas;
  const tenant = await createTestTenant(one);
  await one.send('PATCH', `/v1/tenants/${tenant.id}`, {
    ...operator,
    json: { limits: { requestBytes: 40 } },
  });
  const json = { agentLLMResponse: { status: 'success', data: { text: 'far more than forty bytes' } } };
  const refused = await other.send('POST', '/v1/interactions/unknown/answer', { token: tenant.mcp, json });
  expect([refused.status, refused.body.code, refused.body.limit]).toEqual([
    413,
    'limit_size',
    'requestBytes',
  ]);
});

test('who asks too often is told when to come back', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one, { requestsPerSecond: 1, burst: 2 });
  const asked = await Promise.all(
    Array.from({ length: 6 }, () => one.send('GET', '/v1/tasks', { token: mcp })),
  );
  const refused = asked.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(refused[0]?.body).toMatchObject({ code: 'limit_rate' });
});

test('tenants are paged in the order of their ids, each of them once', async () => {
  const { one } = replicas;
  const ids = Array.from({ length: 120 }, (_, index) => `paged-${String(index).padStart(3, '0')}`);
  await Promise.all(ids.map((id) => one.send('POST', '/v1/tenants', { ...operator, json: { id } })));
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await one.send('GET', `/v1/tenants?cursor=${cursor}`, operator);
    seen.push(...body.tenants.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  expect(seen).toEqual([...seen].sort());
  expect(seen.filter((id) => id.startsWith('paged-'))).toEqual(ids);
});

test('a tenant that does not exist is not found, whatever is asked of it', async () => {
  const { one } = replicas;
  const asked: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { suspended: true }],
    ['GET', '/keys'],
    ['POST', '/keys', { name: 'x' }],
    ['GET', '/tasks'],
    ['GET', '/interactions'],
    ['GET', '/projects'],
    ['PUT', '/projects/default', { master: { tasks: [] } }],
  ];
  for (const [method, path, json] of asked) {
    const answer = await one.send(method, `/v1/tenants/nowhere${path}`, { ...operator, json });
    expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'tenant_not_found']);
  }
  expect((await one.send('GET', '/v1/tenants/nowhere', operator)).status).toBe(404);
});

test("an id that would reach into another tenant's records is no tenant", async () => {
  const { one } = replicas;
  const tenant = await createTestTenant(one);
  const { body } = await one.send('GET', `/v1/tenants/${tenant.id}/keys`, operator);
  for (const inside of [`key:${body.keys[0].id}`, 'keys', 'tasks']) {
    const path = `/v1/tenants/${encodeURIComponent(`${tenant.id}:${inside}`)}/tasks`;
    const answer = await one.send('GET', path, operator);
    expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'tenant_not_found']);
  }
});

test('a suspended tenant is deleted with its keys, on every replica at once, and its id is not given again', async () => {
  const { one, other } = replicas;
  const { id, mcp } = await createTestTenant(one);
  const { taskId } = await other.delegate(mcp);
  const remove = (replica: typeof one) => replica.send('DELETE', `/v1/tenants/${id}`, operator);
  const early = await remove(one);
  expect([early.status, early.body.code]).toEqual([409, 'tenant_active']);
  expect((await other.send('GET', `/v1/tasks/${taskId}`, { token: mcp })).status).toBe(200);

  await one.send('PATCH', `/v1/tenants/${id}`, { ...operator, json: { suspended: true } });
  expect((await remove(one)).status).toBe(204);
  const call = await other.send('GET', '/v1/tasks', { token: mcp });
  expect([call.status, call.body.code]).toEqual([401, 'unauthenticated']);
  for (const [method, path, json] of [
    ['GET', '', undefined],
    ['PATCH', '', { suspended: false }],
    ['POST', '/keys', { name: 'late' }],
    ['DELETE', '', undefined],
  ] as const) {
    const answer = await other.send(method, `/v1/tenants/${id}${path}`, { ...operator, json });
    expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'tenant_not_found']);
  }
  const again = await other.send('POST', '/v1/tenants', { ...operator, json: { id } });
  expect([again.status, again.body.code]).toEqual([409, 'tenant_exists']);
  expect(again.body.detail).toContain('was deleted');
});
