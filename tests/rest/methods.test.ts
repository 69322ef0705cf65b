import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';

/** Which methods an address takes, and what the others are told. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
});
afterAll(() => baton?.stop());

const send = (method: string, path: string, more: RequestInit & { duplex?: 'half' } = {}) =>
  fetch(`${baton.url()}${path}`, { method, ...more });
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test.each([
  ['PUT', '/', 'GET, HEAD'],
  ['POST', '/healthz', 'GET, HEAD'],
  ['DELETE', '/readyz', 'GET, HEAD'],
  ['POST', '/metrics', 'GET, HEAD'],
  ['DELETE', '/v1/openapi.json?a=1', 'GET, HEAD'],
  ['POST', '/.well-known/oauth-protected-resource/mcp', 'GET, HEAD'],
  ['PUT', '/v1/tasks', 'GET, HEAD'],
  ['OPTIONS', '/v1/tasks', 'GET, HEAD'],
  ['GET', '/v1/tools/get_tasks', 'POST'],
  ['PATCH', '/v1/projects/a%2Fb', 'DELETE, GET, HEAD, PUT'],
  ['PUT', '/v1/tenants', 'GET, HEAD, POST'],
  ['POST', '/v1/tenants/none/keys/none', 'DELETE, PATCH'],
  // A stream has no end that a HEAD could wait for.
  ['HEAD', '/v1/events', 'GET'],
])(
  '%s %s is 405, with the methods that are taken there, with a credential and without',
  async (method, path, allow) => {
    for (const more of [{}, bearer(OPERATOR_TOKEN), bearer('nonsense')]) {
      const refused = await send(method, path, more);
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow]);
      const text = await refused.text();
      if (method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ code: 'method_not_allowed', allow });
    }
  },
);

test('a large body under a wrong method is refused as such; an address that is not there is never 405', async () => {
  const body = 'x'.repeat(500_000);
  expect((await send('PUT', '/v1/tasks', { body })).status).toBe(405);
  for (const path of [
    '/nothing',
    '/v1/',
    '/v1/nothing',
    '/v1/tasks/',
    '/v1/tenants/a/nothing',
    '/*',
    '/healthz/',
  ])
    expect([path, (await send('PUT', path)).status]).toEqual([path, 404]);
});

test.each(['/', '/healthz', '/readyz', '/v1/openapi.json', '/v1/tasks', '/v1/tasks/none', '/v1/tools'])(
  'HEAD %s is answered as GET is, without a body',
  async (path) => {
    for (const more of [bearer(baton.apiKey), {}]) {
      const [got, head] = [await send('GET', path, more), await send('HEAD', path, more)];
      expect(head.status).toBe(got.status);
      for (const name of ['content-type', 'content-length', 'cache-control', 'www-authenticate'])
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
      expect(await head.text()).toBe('');
    }
  },
);
