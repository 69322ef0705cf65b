import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestTenant,
  startTestReplicas,
  type TestReplicas,
  type TestTenant,
} from '../testing/test-replicas.ts';

let replicas: TestReplicas;
let tenant: TestTenant;

beforeAll(async () => {
  replicas = await startTestReplicas();
  tenant = await createTestTenant(replicas.one);
});
afterAll(() => replicas?.stop());

const KINDS = {
  workflows: (name: string, text: string) => ({
    name,
    description: text,
    steps: [{ name: 'next', tool: 'next_task' }],
  }),
  agents: (id: string, text: string) => ({ id, name: 'One', instructions: text }),
  prompts: (name: string, text: string) => ({ name, text }),
};
type Kind = keyof typeof KINDS;

function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  json?: unknown,
  at = replicas.one,
) {
  return at.send(method, `/v1${path}`, { token: tenant.admin, headers, json });
}
const put = (
  kind: Kind,
  name: string,
  text: string,
  headers: Record<string, string> = {},
  at = replicas.one,
) => send('PUT', `/${kind}/${name}`, headers, KINDS[kind](name, text), at);
const read = (kind: Kind, name: string) => send('GET', `/${kind}/${name}`, {}, undefined, replicas.other);
const etagOf = async (kind: Kind, name: string) => (await read(kind, name)).headers.get('etag') ?? '';

test.each(Object.keys(KINDS) as Kind[])(
  'of many who change the same version of %s, one does',
  async (kind) => {
    const first = await put(kind, 'shared', 'first', { 'if-none-match': '*' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{20}"$/);
    expect(await etagOf(kind, 'shared')).toBe(etag);

    const changes = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        put(kind, 'shared', `by ${n}`, { 'if-match': etag }, n % 2 === 0 ? replicas.one : replicas.other),
      ),
    );
    const stored = changes.filter(({ status }) => status === 200);
    expect(stored.map(({ body }) => body.version)).toEqual([2]);
    const now = await etagOf(kind, 'shared');
    expect(stored[0]?.headers.get('etag')).toBe(now);
    for (const { status, body } of changes.filter((one) => !stored.includes(one)))
      expect([status, body.code, `"${body.etag}"`]).toEqual([412, 'definition_conflict', now]);
    const winner = changes.findIndex(({ status }) => status === 200);
    expect(JSON.stringify((await read(kind, 'shared')).body)).toContain(`by ${winner}`);

    // A repeat of the one that was stored, its reply lost, is confirmed.
    const repeated = await put(kind, 'shared', `by ${winner}`, { 'if-match': etag });
    expect([repeated.status, repeated.body.version, repeated.headers.get('etag')]).toEqual([200, 2, now]);
    expect((await put(kind, 'shared', 'next', { 'if-match': `W/${now}` })).status).toBe(200);
  },
);

test.each(Object.keys(KINDS) as Kind[])('of many who create the same of %s, one does', async (kind) => {
  const created = await Promise.all(
    Array.from({ length: 6 }, (_, n) => put(kind, 'created', `by ${n}`, { 'if-none-match': '*' })),
  );
  expect(created.filter(({ status }) => status === 200).length).toBe(1);
  expect(created.filter(({ status }) => status === 412).length).toBe(5);
  expect((await read(kind, 'created')).body.version).toBe(1);
});

test.each(['workflows', 'prompts'] as const)(
  'one of %s that was deleted and created anew is another one, though its version is the same',
  async (kind) => {
    const old = (await put(kind, 'anew', 'old')).headers.get('etag') ?? '';
    expect((await send('DELETE', `/${kind}/anew`, { 'if-match': '"0"' })).status).toBe(412);
    expect((await send('DELETE', `/${kind}/anew`, { 'if-none-match': '*' })).status).toBe(412);
    expect((await send('DELETE', `/${kind}/anew`, { 'if-match': old })).status).toBe(200);
    const gone = await put(kind, 'anew', 'changed', { 'if-match': old });
    expect([gone.status, gone.body.etag]).toEqual([412, undefined]);
    expect((await put(kind, 'anew', 'changed', { 'if-match': '*' })).status).toBe(412);
    expect((await read(kind, 'anew')).status).toBe(404);
    await put(kind, 'anew', 'new');
    expect((await put(kind, 'anew', 'changed', { 'if-match': old })).status).toBe(412);
    expect((await put(kind, 'anew', 'changed', { 'if-match': '*' })).body.version).toBe(2);
  },
);

test('whoever edits an agent does not undo what was done with its state meanwhile', async () => {
  await put('agents', 'first', 'primary');
  const etag = (await put('agents', 'other', 'specialist')).headers.get('etag') ?? '';
  await send('POST', '/agents/other/disable', {});
  const refused = await send(
    'PUT',
    '/agents/other',
    { 'if-match': etag },
    {
      ...KINDS.agents('other', 'changed'),
      enabled: true,
    },
  );
  expect(refused.status).toBe(412);
  expect((await read('agents', 'other')).body.enabled).toBe(false);
  await send('POST', '/agents/other/enable', {});
  const enabled = await etagOf('agents', 'other');
  await send('POST', '/agents/other/primary', {});
  expect(await etagOf('agents', 'other')).not.toBe(enabled);
});

test.each<[Record<string, string>, string]>([
  [{ 'if-match': '1' }, 'If-Match'],
  [{ 'if-match': '"a", "b"' }, 'If-Match'],
  [{ 'if-match': '""' }, 'If-Match'],
  [{ 'if-match': '"none"' }, 'If-Match'],
  [{ 'if-none-match': '"a"' }, 'If-None-Match'],
  [{ 'if-match': '"a"', 'if-none-match': '*' }, 'If-None-Match'],
])('what is no precondition is refused by name: %j', async (headers, field) => {
  const refused = await put('prompts', 'refused', 'text', headers);
  expect([refused.status, refused.body.field]).toEqual([400, field]);
  expect((await read('prompts', 'refused')).status).toBe(404);
});
