import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRawRequest } from '../abuse/environment/raw-http.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** The headers of CORS (Fetch standard); what browsers make of them is tested in tests/browser. */
const APP = 'https://app.example';
let baton: InProcessDeployment;
let open: InProcessDeployment;
beforeAll(async () => {
  const start = (allowedOrigins: string[]) =>
    InProcessDeployment.start({ gateways: 1, workers: 0, gateway: { allowedOrigins } });
  [baton, open] = await Promise.all([start([`${APP}/`, 'https://Other.example']), start(['*'])]);
});
afterAll(() => Promise.all([baton?.stop(), open?.stop()]));

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly origin?: string;
  readonly more?: readonly (readonly [string, string])[];
}

async function send(at: InProcessDeployment, { method = 'POST', path = '/mcp', origin, more = [] }: Sent) {
  const headers = [...(origin === undefined ? [] : ([['origin', origin]] as const)), ...more];
  const { status, headers: shown } = await sendRawRequest(at.url(), { method, path, headers }, 5_000);
  expect(shown.get('x-baton-replica')).toBe('gateway-0');
  expect([...shown.keys()]).not.toContain('access-control-allow-credentials');
  return {
    status,
    origin: shown.get('access-control-allow-origin'),
    vary: shown.get('vary'),
    exposed: shown.get('access-control-expose-headers')?.toLowerCase().split(', '),
    methods: shown.get('access-control-allow-methods'),
    allowed: shown.get('access-control-allow-headers'),
  };
}

const ASKS = [
  ['access-control-request-method', 'POST'],
  ['access-control-request-headers', 'authorization, mcp-session-id, idempotency-key'],
] as const;

test.each(['/mcp', '/v1/tasks', '/v1/tools/get_tasks', '/v1/projects/a%2Fb', '/nothing'])(
  'a preflight of %s is answered without a credential, to allowed origins only',
  async (path) => {
    const preflight = (origin: string) => send(baton, { method: 'OPTIONS', path, origin, more: ASKS });
    const answer = await preflight(APP);
    expect(answer).toMatchObject({ status: 204, origin: APP, allowed: ASKS[1][1] });
    expect(answer.methods?.split(', ')).toEqual(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
    expect(answer.vary).toMatch(/Origin/i);
    for (const origin of ['https://evil.example', 'null', 'x', `${APP}.evil.example`, 'http://app.example']) {
      const refused = await preflight(origin);
      expect([origin, refused.status, refused.origin]).toEqual([origin, 403, undefined]);
    }
  },
);

test.each<[string, Sent, number]>([
  ['a missing credential', {}, 401],
  ['a missing credential, over REST', { path: '/v1/tasks', method: 'GET' }, 401],
  ['a wrong one', { more: [['authorization', 'Bearer bt_none']] }, 401],
  ['nothing there', { path: '/nothing', method: 'GET' }, 404],
  ['a method that is not taken', { method: 'PUT' }, 405],
  ['a path that cannot be decoded', { path: '/v1/projects/%ff', method: 'GET' }, 400],
  ['metadata', { path: '/.well-known/oauth-protected-resource/mcp', method: 'GET' }, 200],
])(
  '%s is shown to a page of an allowed origin, with the headers that its client needs',
  async (_what, sent, status) => {
    const shown = await send(baton, { ...sent, origin: APP });
    expect(shown).toMatchObject({ status, origin: APP });
    expect(shown.exposed).toEqual(
      expect.arrayContaining([
        'mcp-session-id',
        'www-authenticate',
        'retry-after',
        'location',
        'x-baton-replica',
      ]),
    );
    expect(shown.vary).toMatch(/Origin/i);
    // Origins are compared without their case, and answered as they came.
    expect((await send(baton, { ...sent, origin: 'https://OTHER.example' })).origin).toBe(
      'https://OTHER.example',
    );
  },
);

test('a foreign origin is not shown what is refused before a route is found either', async () => {
  const path = '/v1/projects/%ff';
  const refused = await send(baton, { method: 'GET', path, origin: 'https://evil.example' });
  expect([refused.status, refused.origin]).toEqual([400, undefined]);
  expect(await send(open, { method: 'GET', path, origin: APP })).toMatchObject({ status: 400, origin: '*' });
});

test('a client without an Origin is told nothing of origins, and its OPTIONS is refused as ever', async () => {
  const plain = await send(baton, { method: 'GET', path: '/healthz' });
  expect([plain.status, plain.origin]).toEqual([200, undefined]);
  expect((await send(baton, { method: 'OPTIONS' })).status).toBe(405);
  expect((await send(baton, { method: 'OPTIONS', path: '/v1/tasks' })).status).toBe(405);
});

test('with * every origin may call, and is answered with *', async () => {
  for (const origin of ['https://any.example', 'null'])
    expect(await send(open, { origin })).toMatchObject({ status: 401, origin: '*' });
  const preflight = await send(open, { method: 'OPTIONS', origin: 'https://any.example', more: ASKS });
  expect(preflight).toMatchObject({ status: 204, origin: '*' });
});

test('the files of the console are given to a page of any origin, and nothing else is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-console-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  const served = await InProcessDeployment.start({
    gateways: 1,
    workers: 0,
    gateway: { consoleFolder: folder },
  });
  const get = (path: string) => send(served, { method: 'GET', path, origin: 'http://host.example:8080' });
  try {
    expect((await get('/console/')).status).toBe(200);
    for (const path of ['/', '/healthz', '/metrics', '/v1/whoami', '/mcp', '/v1/openapi.json'])
      expect([path, (await get(path)).status]).toEqual([path, 403]);
  } finally {
    await served.stop();
    rmSync(folder, { recursive: true });
  }
});
