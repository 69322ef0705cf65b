import { MAX_BODY_BYTES } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestTenant,
  TEST_OPERATOR_TOKEN,
  type TestTenant,
  type TestReplicas,
  startTestReplicas,
} from './testing/test-replicas.ts';

let replicas: TestReplicas;
let place: TestTenant;
let interaction: string;
let task: string;
let keyId: string;

beforeAll(async () => {
  replicas = await startTestReplicas();
  place = await createTestTenant(replicas.one);
  keyId = place.peer.split('_')[2] ?? '';
  const asked = await replicas.one.delegate(place.mcp);
  interaction = asked.interactionId;
  task = asked.taskId;
  const json = { master: { tasks: [{ id: 1, title: 'T', description: '' }] } };
  await replicas.one.send('PUT', '/v1/projects/default', { token: place.mcp, json });
});
afterAll(() => replicas.stop());

/** All that a request could have changed, as the operator sees it. */
async function snapshot(): Promise<string> {
  const paths = ['', '/keys', '/tasks', '/interactions', `/tasks/${task}`, '/projects', '/projects/default'];
  const seen = await Promise.all(
    paths.map((path) =>
      replicas.other.send('GET', `/v1/tenants/${place.id}${path}`, { token: TEST_OPERATOR_TOKEN }),
    ),
  );
  const tenants = await replicas.other.send('GET', '/v1/tenants', { token: TEST_OPERATOR_TOKEN });
  // A refused request is a use of its key all the same.
  return [...seen, tenants].map(({ text }) => text.replaceAll(/,"lastUsedAt":"[^"]*"/g, '')).join('\n');
}

const long = (length: number) => 'x'.repeat(length);
const answer = { status: 'success', data: { text: 'x' } };

interface Route {
  readonly method: string;
  readonly path: string;
  readonly token: () => string;
  readonly good: Record<string, unknown>;
  /** What may stand at a field, and is wrong; the field that is named is the field itself unless `at` says so. */
  readonly wrong: readonly (readonly [field: string, value: unknown, at?: string])[];
}

const operator = () => TEST_OPERATOR_TOKEN;
const routes = (): Route[] => [
  {
    method: 'POST',
    path: '/v1/tenants',
    token: operator,
    good: { id: 'never-created' },
    wrong: [
      ...[undefined, null, 7, [], {}, '', 'UPPER', 'with space', 'a:b', long(64), '../x', 'ä'].map(
        (id) => ['id', id] as const,
      ),
      ...[null, 7, [], '', long(201)].map((name) => ['name', name] as const),
      ...[null, 7, []].map((limits) => ['limits', limits] as const),
      ...[0, -1, 1.5, '5', null, 1e15].map((burst) => ['limits', { burst }, 'limits.burst'] as const),
      ['limits', { requestBytes: MAX_BODY_BYTES + 1 }, 'limits.requestBytes'],
      ...[0, 499, 50_001, 10_000_000].map(
        (promptTokens) => ['limits', { promptTokens }, 'limits.promptTokens'] as const,
      ),
      ['limits', { unheardOf: 1 }, 'limits.unheardOf'],
      ['suspended', true],
    ],
  },
  {
    method: 'PATCH',
    path: `/v1/tenants/${place.id}`,
    token: operator,
    good: {},
    wrong: [
      ['id', 'other'],
      ...[null, 7, '', long(201)].map((name) => ['name', name] as const),
      ...[null, 'true', 1].map((suspended) => ['suspended', suspended] as const),
      ['limits', { openTasks: 'many' }, 'limits.openTasks'],
      ...[0, 10_000_000].map((promptTokens) => ['limits', { promptTokens }, 'limits.promptTokens'] as const),
      ['limits', { unheardOf: 1 }, 'limits.unheardOf'],
    ],
  },
  {
    method: 'POST',
    path: `/v1/tenants/${place.id}/keys`,
    token: () => place.admin,
    good: { name: 'never made' },
    wrong: [
      ...[undefined, null, 7, '', long(201), []].map((name) => ['name', name] as const),
      ...[null, 7, '', 'two words', long(129), 'a|b'].map((principal) => ['principal', principal] as const),
      ...[null, 'mcp', [], ['mcp', 'agent', 'admin', 'mcp']].map((scopes) => ['scopes', scopes] as const),
      ['scopes', ['root'], 'scopes.0'],
      ...[null, 7, 'tomorrow', '2026-02-30T00:00:00Z', '2026-01-01'].map((at) => ['expiresAt', at] as const),
      ['key', 'bt_mine'],
    ],
  },
  {
    method: 'POST',
    path: `/v1/tenants/${place.id}/keys/${keyId}/rotate`,
    token: () => place.admin,
    good: {},
    wrong: [
      ...[null, '60', -1, 0.5, 604_801, []].map((seconds) => ['overlapSeconds', seconds] as const),
      ['overlap', 60],
    ],
  },
  {
    method: 'POST',
    path: `/v1/interactions/${interaction}/answer`,
    token: () => place.mcp,
    good: { agentLLMResponse: answer },
    wrong: [
      ...[undefined, null, 7, []].map((value) => ['agentLLMResponse', value] as const),
      ...[{}, { status: 'done' }].map(
        (value) => ['agentLLMResponse', value, 'agentLLMResponse.status'] as const,
      ),
      ['agentLLMResponse', { status: 'success' }, 'agentLLMResponse.data'],
      ['agentLLMResponse', { status: 'success', data: null }, 'agentLLMResponse.data'],
      ['agentLLMResponse', { status: 'error' }, 'agentLLMResponse.errorDetails'],
      ['agentLLMResponse', { status: 'error', errorDetails: {} }, 'agentLLMResponse.errorDetails.message'],
      ['agentLLMResponse', { status: 'streaming', sequence: -1, delta: '' }, 'agentLLMResponse.sequence'],
      ['agentLLMResponse', { status: 'streaming', sequence: 0 }, 'agentLLMResponse.delta'],
      ...[null, '5', -1, 25_001, 1.5].map((waitMs) => ['waitMs', waitMs] as const),
      ['interactionId', interaction],
      ['delegatedCallDetails', {}],
    ],
  },
  {
    method: 'POST',
    path: `/v1/interactions/${interaction}/extend`,
    token: () => place.mcp,
    good: { ttlMs: 1 },
    wrong: [
      ...[undefined, null, '5', 0, -1, 1.5, 1e12, []].map((ttlMs) => ['ttlMs', ttlMs] as const),
      ['ttl', 5],
    ],
  },
  {
    method: 'POST',
    path: `/v1/interactions/${interaction}/cancel`,
    token: () => place.mcp,
    good: {},
    wrong: [['reason', 'none']],
  },
  {
    method: 'POST',
    path: `/v1/tasks/${task}/cancel`,
    token: () => place.mcp,
    good: {},
    wrong: [['reason', 'none']],
  },
];

test('every wrong field of every body is named, and nothing has changed', async () => {
  const before = await snapshot();
  for (const { method, path, token, good, wrong } of routes()) {
    for (const [field, value, at = field] of wrong) {
      const json = { ...good, [field]: value };
      const refused = await replicas.one.send(method, path, { token: token(), json });
      const sent = JSON.stringify(json).slice(0, 100);
      const { status, body } = refused;
      expect({ path, sent, status, field: body.field }).toEqual({ path, sent, status: 400, field: at });
      expect(refused.body).toMatchObject({ code: 'invalid_arguments', status: 400 });
    }
  }
  expect(await snapshot()).toBe(before);
}, 30_000);

test('a body that is no object, cannot be read, is too deep or too large is refused, and nothing has changed', async () => {
  const before = await snapshot();
  const project = { method: 'PUT', path: '/v1/projects/default', token: () => place.mcp };
  const bodies: [raw: string, status: number][] = [
    ['[]', 400],
    ['"text"', 400],
    ['7', 400],
    ['{', 400],
    ['{"a":1,}', 400],
    ['\u0000', 400],
    ['{"__proto__":{"admin":true}}', 400],
    ['{"a":{"__proto__":1}}', 400],
    ['{"constructor":{"prototype":{"x":1}}}', 400],
    [`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 400],
    [`{"a":"${long(MAX_BODY_BYTES)}"}`, 413],
  ];
  for (const { method, path, token } of [...routes(), project]) {
    for (const [raw, status] of bodies) {
      // An import may be larger than other bodies; what it may not be is tested beside its route.
      if (path === project.path && status === 413) continue;
      const refused = await replicas.one.send(method, path, { token: token(), raw });
      expect([path, raw.slice(0, 40), refused.status]).toEqual([path, raw.slice(0, 40), status]);
      expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(refused.body.detail).toMatch(/\w/);
    }
    const noJson = { 'content-type': 'text/plain' };
    const refused = await replicas.one.send(method, path, { token: token(), raw: '{}', headers: noJson });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
  }
  expect(await snapshot()).toBe(before);
}, 60_000);

test("a body over the tenant's own limit is refused before it is looked at", async () => {
  const { one } = replicas;
  const small = await createTestTenant(one, { requestBytes: 100 });
  const refused = await one.send('POST', '/v1/tools/get_tasks', {
    token: small.mcp,
    raw: `{"a":"${long(100)}"}`,
  });
  expect([refused.status, refused.body.code, refused.body.most]).toEqual([413, 'limit_size', 100]);
});

test('every wrong query parameter is named', async () => {
  const { one } = replicas;
  const lists = [
    '/v1/interactions',
    '/v1/tasks',
    `/v1/tenants/${place.id}/tasks`,
    `/v1/tenants/${place.id}/interactions`,
  ];
  const cursors = [
    'x',
    '%00',
    'e30',
    Buffer.from('{"score":"1;2","member":"x"}').toString('base64url'),
    long(501),
  ];
  const wrong: [string, string][] = [
    ['status', 'sideways'],
    ['status', 'pending&status=answered'],
    ['operation', long(101)],
    ['operation', 'a&operation=b'],
    ['unknown', '1'],
    ['__proto__', '1'],
    ...cursors.map((cursor): [string, string] => ['cursor', cursor]),
  ];
  for (const path of lists) {
    const token = path.includes('tenants') ? TEST_OPERATOR_TOKEN : place.mcp;
    for (const [field, value] of wrong) {
      const refused = await one.send('GET', `${path}?${field}=${value}`, { token });
      expect([path, value, refused.status, refused.body.field]).toEqual([path, value, 400, field]);
    }
  }
  for (const cursor of ['x', '%00', Buffer.from('UPPER').toString('base64url'), long(501)]) {
    const refused = await one.send('GET', `/v1/tenants?cursor=${cursor}`, { token: TEST_OPERATOR_TOKEN });
    expect([cursor, refused.status, refused.body.field]).toEqual([cursor, 400, 'cursor']);
  }
  for (const path of [`/v1/tenants/${place.id}`, `/v1/tasks/${task}`, '/v1/projects/default']) {
    const token = path.includes('tenants') ? TEST_OPERATOR_TOKEN : place.mcp;
    const refused = await one.send('GET', `${path}?verbose=1`, { token });
    expect([path, refused.status, refused.body.field]).toEqual([path, 400, 'verbose']);
  }
});

test('an id of any shape is answered with a problem, never with a 500', async () => {
  const before = await snapshot();
  const { one } = replicas;
  const ids = [
    'x',
    '%00',
    '..%2F..',
    '%F0%9F%92%A9',
    '*',
    '{s0}',
    'a:b',
    '__proto__',
    'constructor',
    '%20',
    long(100),
  ];
  const answered = { agentLLMResponse: answer };
  const asked: [string, string, unknown?][] = [
    ['GET', '/v1/interactions/ID'],
    ['POST', '/v1/interactions/ID/answer', answered],
    ['POST', '/v1/interactions/ID/cancel'],
    ['POST', '/v1/interactions/ID/extend', { ttlMs: 5 }],
    ['GET', '/v1/tasks/ID'],
    ['POST', '/v1/tasks/ID/cancel'],
    ['GET', '/v1/projects/ID'],
    ['GET', `/v1/tenants/${place.id}/tasks/ID`],
    ['POST', `/v1/tenants/${place.id}/keys/ID/rotate`],
    ['DELETE', `/v1/tenants/${place.id}/keys/ID`],
    ['GET', '/v1/tenants/ID'],
    ['PATCH', '/v1/tenants/ID', {}],
    ['GET', '/v1/tenants/ID/keys'],
    ['GET', '/v1/tenants/ID/projects'],
  ];
  for (const [method, path, json] of asked) {
    const token = path.includes('/tenants/') ? TEST_OPERATOR_TOKEN : place.mcp;
    for (const id of ids) {
      const refused = await one.send(method, path.replace('ID', id), { token, json });
      expect([method, path, id, refused.status >= 400 && refused.status < 500]).toEqual([
        method,
        path,
        id,
        true,
      ]);
      expect(refused.body.code).toMatch(/^(invalid_arguments|\w+_not_found)$/);
    }
  }
  expect(await snapshot()).toBe(before);
}, 30_000);

test('a project without a key is refused naming it', async () => {
  const refused = await replicas.one.send('GET', '/v1/projects/', { token: place.mcp });
  expect([refused.status, refused.body.field]).toEqual([400, 'id']);
});
