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
const idOf = (key: string) => key.split('_')[2] ?? '';

test('a key is shown once: no list and no later answer holds it', async () => {
  const { one } = replicas;
  const { id } = await createTestTenant(one);
  const made = await one.send('POST', `/v1/tenants/${id}/keys`, {
    ...operator,
    json: { name: 'laptop', principal: 'carol', scopes: ['mcp', 'agent'], expiresAt: '2099-01-01T00:00:00Z' },
  });
  expect(made.status).toBe(201);
  expect(made.headers.get('cache-control')).toBe('no-store');
  const { key, ...shown } = made.body;
  expect(shown).toMatchObject({ name: 'laptop', principal: 'carol', scopes: ['mcp', 'agent'] });
  expect(shown.expiresAt).toBe('2099-01-01T00:00:00.000Z');
  const list = await one.send('GET', `/v1/tenants/${id}/keys`, operator);
  expect(list.body.keys).toContainEqual(shown);
  expect(list.text).not.toContain(key);
  expect(list.text).not.toContain(key.slice(-40));
});

test('a key without a principal is its own', async () => {
  const { one } = replicas;
  const { id } = await createTestTenant(one);
  const make = () => one.send('POST', `/v1/tenants/${id}/keys`, { ...operator, json: { name: 'a' } });
  const [first, second] = [await make(), await make()];
  expect(first.body.scopes).toEqual(['mcp']);
  expect(first.body.principal).not.toBe(second.body.principal);
});

test('a revoked key is dead on the other replica by its next call', async () => {
  const { one, other } = replicas;
  const { id, mcp } = await createTestTenant(one);
  expect((await other.send('GET', '/v1/tasks', { token: mcp })).status).toBe(200);
  const revoked = await one.send('DELETE', `/v1/tenants/${id}/keys/${idOf(mcp)}`, operator);
  expect([revoked.status, revoked.text]).toEqual([204, '']);
  const refused = await other.send('GET', '/v1/tasks', { token: mcp });
  expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated']);

  const again = await one.send('DELETE', `/v1/tenants/${id}/keys/${idOf(mcp)}`, operator);
  expect([again.status, again.body.code]).toEqual([404, 'key_not_found']);
});

test('a rotation with overlap leaves the old key alive beside the new one, with the same rights', async () => {
  const { one, other } = replicas;
  const { id, mcp } = await createTestTenant(one);
  const { taskId } = await one.delegate(mcp);
  const path = `/v1/tenants/${id}/keys/${idOf(mcp)}/rotate`;
  const rotated = await one.send('POST', path, { ...operator, json: { overlapSeconds: 60 } });
  expect(rotated.status).toBe(201);
  expect(rotated.body).toMatchObject({ principal: 'alice', scopes: ['mcp'] });
  for (const token of [mcp, rotated.body.key]) {
    expect((await other.send('GET', `/v1/tasks/${taskId}`, { token })).status).toBe(200);
  }
  const { body } = await other.send('GET', `/v1/tenants/${id}/keys`, operator);
  const old = body.keys.find((key: { id: string }) => key.id === idOf(mcp));
  expect(Date.parse(old.expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000);
});

test('a rotation without overlap ends the old key at once', async () => {
  const { one, other } = replicas;
  const { id, mcp } = await createTestTenant(one);
  const rotated = await one.send('POST', `/v1/tenants/${id}/keys/${idOf(mcp)}/rotate`, operator);
  expect(rotated.status).toBe(201);
  expect((await other.send('GET', '/v1/tasks', { token: mcp })).status).toBe(401);
  expect((await other.send('GET', '/v1/tasks', { token: rotated.body.key })).status).toBe(200);
});

test('an admin key manages the keys of its tenant, and may rotate itself', async () => {
  const { one, other } = replicas;
  const { id, admin, mcp } = await createTestTenant(one);
  const token = admin;
  const made = await one.send('POST', `/v1/tenants/${id}/keys`, { token, json: { name: 'by the admin' } });
  expect(made.status).toBe(201);
  expect((await one.send('DELETE', `/v1/tenants/${id}/keys/${idOf(mcp)}`, { token })).status).toBe(204);
  const rotated = await one.send('POST', `/v1/tenants/${id}/keys/${idOf(admin)}/rotate`, { token });
  expect((await other.send('GET', `/v1/tenants/${id}/keys`, { token })).status).toBe(401);
  const keys = await other.send('GET', `/v1/tenants/${id}/keys`, { token: rotated.body.key });
  expect(keys.body.keys.map((key: { name: string }) => key.name)).toContain('by the admin');
});

test('a key of another tenant learns nothing: a tenant that exists and one that does not answer alike', async () => {
  const { one } = replicas;
  const [mine, theirs] = [await createTestTenant(one), await createTestTenant(one)];
  const victim = idOf(theirs.mcp);
  const asked: [string, string, unknown?][] = [
    ['GET', '/keys'],
    ['POST', '/keys', { name: 'x' }],
    ['POST', '/keys', { wrong: true }],
    ['POST', `/keys/${victim}/rotate`, {}],
    ['DELETE', `/keys/${victim}`],
    ['GET', '/tasks'],
    ['GET', '/interactions'],
    ['GET', '/projects'],
  ];
  for (const [method, path, json] of asked) {
    const existing = await one.send(method, `/v1/tenants/${theirs.id}${path}`, { token: mine.admin, json });
    const missing = await one.send(method, `/v1/tenants/nowhere-at-all${path}`, { token: mine.admin, json });
    const told = existing.text.replaceAll(theirs.id, 'nowhere-at-all');
    expect([method, path, existing.status, told]).toEqual([method, path, 404, missing.text]);
    expect(existing.body).toMatchObject({
      code: 'tenant_not_found',
      detail: `Your key is of tenant '${mine.id}', and the path names '${theirs.id}'. Write /tenants/${mine.id} in place of /tenants/${theirs.id}.`,
    });
    const own = await one.send(method, `/v1/tenants/${mine.id}${path}`, { token: mine.admin, json });
    if (method === 'GET') expect([path, own.status]).toEqual([path, 200]);
  }
  expect((await one.send('GET', '/v1/tasks', { token: theirs.mcp })).status).toBe(200);
});

test('a key of another tenant cannot be revoked or rotated through one that is managed', async () => {
  const { one } = replicas;
  const [mine, theirs] = [await createTestTenant(one), await createTestTenant(one)];
  const foreign = await one.send('DELETE', `/v1/tenants/${mine.id}/keys/${idOf(theirs.mcp)}`, operator);
  const unknown = await one.send('DELETE', `/v1/tenants/${mine.id}/keys/AAAAAAAAAAAA`, operator);
  expect(foreign.status).toBe(404);
  expect(foreign.text.replaceAll(idOf(theirs.mcp), 'AAAAAAAAAAAA')).toBe(unknown.text);
  expect((await one.send('GET', '/v1/tasks', { token: theirs.mcp })).status).toBe(200);
});

test('a key that has expired is refused like one that never was', async () => {
  const { one } = replicas;
  const { id } = await createTestTenant(one);
  const json = { name: 'past', expiresAt: '2020-01-01T00:00:00+02:00' };
  const { body } = await one.send('POST', `/v1/tenants/${id}/keys`, { ...operator, json });
  const expired = await one.send('GET', '/v1/tasks', { token: body.key });
  const gone = await createTestKey(one, id, ['mcp']);
  await one.send('DELETE', `/v1/tenants/${id}/keys/${idOf(gone)}`, operator);
  expect(expired.status).toBe(401);
  expect(expired.text).toBe((await one.send('GET', '/v1/tasks', { token: gone })).text);
});
