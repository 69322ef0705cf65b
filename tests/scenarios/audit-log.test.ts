import { PassThrough } from 'node:stream';
import { createLogger } from '@baton/gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';

let baton: InProcessDeployment;
let admin: string;
const lines = new PassThrough();
let said = '';
lines.on('data', (chunk: Buffer) => (said += chunk.toString()));
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0, log: createLogger('info', {}, lines) });
  admin = await baton.createKey({ scopes: ['admin'] });
});
afterAll(() => baton?.stop());

async function send(method: string, path: string, token: string, body?: object): Promise<AnyJson> {
  const reply = await fetch(`${baton.url()}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** The lines of the log that tell of a change since the last time, without their level and time. */
function takeAudits(): AnyJson[] {
  const all = said.split('\n').filter((line) => line.includes('"audit"'));
  said = '';
  return all.map((line) => JSON.parse(line) as AnyJson);
}

test('each change of a tenant is one line of the log, and a refused one is none', async () => {
  await send('POST', '/tenants', OPERATOR_TOKEN, { id: 'audited', limits: { burst: 7 } });
  await send('PATCH', '/tenants/audited', OPERATOR_TOKEN, { suspended: true });
  await send('PATCH', '/tenants/audited', admin, { suspended: false });
  await send('POST', '/tenants', OPERATOR_TOKEN, { id: 'audited' });
  expect(takeAudits()).toMatchObject([
    { audit: 'tenant_created', tenant: 'audited', by: 'operator', limits: { burst: 7 } },
    { audit: 'tenant_changed', tenant: 'audited', by: 'operator', suspended: true },
  ]);
});

test('a deletion is a line when it begins and one when it has ended, and a refused one is none', async () => {
  await send('POST', '/tenants', OPERATOR_TOKEN, { id: 'leaver' });
  takeAudits();
  await send('DELETE', '/tenants/leaver', OPERATOR_TOKEN);
  expect(takeAudits()).toEqual([]);
  await send('PATCH', '/tenants/leaver', OPERATOR_TOKEN, { suspended: true });
  takeAudits();
  await send('DELETE', '/tenants/leaver', OPERATOR_TOKEN);
  expect(takeAudits()).toMatchObject([
    { audit: 'tenant_deletion_begun', tenant: 'leaver', by: 'operator' },
    { audit: 'tenant_deleted', tenant: 'leaver', by: 'operator' },
  ]);
});

test('each change of a key is one line of the log, by whom it was, and without the key', async () => {
  const made = await send('POST', '/tenants/acme/keys', admin, { name: 'made', scopes: ['mcp'] });
  await send('PATCH', `/tenants/acme/keys/${made.id}`, admin, { tools: 'core' });
  await send('PATCH', `/tenants/acme/keys/${made.id}`, made.key, { tools: 'all' });
  const rotated = await send('POST', `/tenants/acme/keys/${made.id}/rotate`, OPERATOR_TOKEN, {});
  await send('DELETE', `/tenants/acme/keys/${rotated.id}`, admin);
  const adminId = admin.split('_')[2];
  const audits = takeAudits();
  expect(audits).toMatchObject([
    { audit: 'key_created', tenant: 'acme', keyId: made.id, by: adminId },
    { audit: 'key_changed', tenant: 'acme', keyId: made.id, by: adminId, tools: 'core' },
    { audit: 'key_rotated', tenant: 'acme', by: 'operator' },
    { audit: 'key_revoked', tenant: 'acme', keyId: rotated.id, by: adminId },
  ]);
  for (const key of [made.key, rotated.key, admin]) expect(JSON.stringify(audits)).not.toContain(key);
});

test('each change of a role is one too, without the key of its endpoint', async () => {
  takeAudits();
  const secret = 'sk-of-the-endpoint-1234567890';
  const routes = [{ kind: 'openai', baseUrl: 'https://llm.example/v1', modelId: 'm', apiKey: secret }];
  const put = await send('PUT', '/roles/research', admin, { routes });
  expect(put).toMatchObject({ configured: true });
  await send('DELETE', '/tenants/acme/roles/research', OPERATOR_TOKEN);
  await send('DELETE', '/roles/research', admin);
  const audits = takeAudits();
  expect(audits).toMatchObject([
    { audit: 'role_changed', role: 'research', by: admin.split('_')[2], routes: [{ modelId: 'm' }] },
    { audit: 'role_deleted', role: 'research', by: 'operator' },
  ]);
  expect(JSON.stringify(audits)).not.toContain(secret);
});

test('they are listed to the admins and the operator, newest first, and to nobody else', async () => {
  const made = await send('POST', '/tenants/acme/keys', admin, { name: 'listed', scopes: ['mcp', 'agent'] });
  await send('DELETE', `/tenants/acme/keys/${made.id}`, OPERATOR_TOKEN);
  const { entries } = await send('GET', '/audit', admin);
  expect(entries.slice(0, 2)).toMatchObject([
    { action: 'key_revoked', by: 'operator', facts: { keyId: made.id } },
    { action: 'key_created', by: admin.split('_')[2], facts: { keyId: made.id, scopes: ['mcp', 'agent'] } },
  ]);
  expect(JSON.stringify(entries)).not.toContain(made.key);
  expect((await send('GET', '/tenants/acme/audit', OPERATOR_TOKEN)).entries).toEqual(entries);
  expect((await send('GET', '/tenants/audited/audit', OPERATOR_TOKEN)).entries).toMatchObject([
    { action: 'tenant_changed', facts: { suspended: true } },
    { action: 'tenant_created', facts: { limits: { burst: 7 } } },
  ]);
  expect(await send('GET', '/tenants/audited/audit', admin)).toMatchObject({ status: 404 });
  const client = await baton.createKey({ scopes: ['mcp', 'agent'] });
  expect(await send('GET', '/audit', client)).toMatchObject({ code: 'insufficient_scope' });
});

test('a key that is revoked with those that were made with it is one entry, which names them', async () => {
  const parent = await send('POST', '/tenants/acme/keys', OPERATOR_TOKEN, {
    name: 'parent',
    scopes: ['admin', 'mcp'],
  });
  const made = { name: 'child', scopes: ['mcp'], principal: 'someone' };
  const child = await send('POST', '/tenants/acme/keys', parent.key, made);
  await send('DELETE', `/tenants/acme/keys/${parent.id}?children=true`, admin);
  const { entries } = await send('GET', '/audit', admin);
  expect(entries[0]).toMatchObject({
    action: 'key_revoked',
    facts: { keyId: parent.id, children: 1, childIds: [child.id] },
  });
});

test('a tenant keeps the last thousand or so, in pages that meet each once', async () => {
  const { audit } = baton.store.tenant('acme');
  await Promise.all(
    Array.from({ length: 1_500 }, (_, at) => audit.add({ action: 'key_changed', by: 'x', facts: { at } })),
  );
  const told: number[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { entries, nextCursor } = await send('GET', `/audit${cursor}`, admin);
    for (const { facts } of entries) if (facts.at !== undefined) told.push(facts.at);
    if (nextCursor !== undefined) expect(entries.length).toBe(50);
    cursor = nextCursor && `?cursor=${nextCursor}`;
  }
  // Redis cuts whole nodes of a stream, of a hundred entries at its defaults.
  expect(told.length).toBeGreaterThanOrEqual(1_000);
  expect(told.length).toBeLessThanOrEqual(1_100);
  expect(told).toEqual(told.map((_, at) => 1_499 - at));
  expect(await send('GET', '/audit?cursor=x', admin)).toMatchObject({
    code: 'invalid_arguments',
    field: 'cursor',
  });
});
