import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { postJsonRpc } from '../harness/mcp-client.ts';
import { sendRawRequest } from '../abuse/environment/raw-http.ts';

let baton: InProcessDeployment;
let behindTls: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0, gateway: { trustProxy: true } });
  behindTls = await InProcessDeployment.start({
    gateways: 1,
    workers: 0,
    gateway: { publicUrl: 'https://baton.example' },
  });
});
afterAll(() => Promise.all([baton?.stop(), behindTls?.stop()]));

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

test('no response is stored or read as another type, refusals included', async () => {
  const replies = [
    await postJsonRpc(baton.url(), baton.apiKey, list),
    await postJsonRpc(baton.url(), baton.apiKey, list, {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': 'none',
    }),
    await postJsonRpc(baton.url(), undefined, list),
    await postJsonRpc(baton.url(), baton.apiKey, '{'),
    ...(await Promise.all(
      ['/v1/tasks', '/v1/tenants', '/nothing', '/readyz', '/metrics'].map((path) =>
        fetch(`${baton.url()}${path}`, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } }),
      ),
    )),
  ];
  for (const { headers, status } of replies) {
    expect([status, headers.get('x-content-type-options')]).toEqual([status, 'nosniff']);
    expect(headers.get('cache-control')).toMatch(/no-store/);
    expect(headers.get('strict-transport-security')).toBeNull();
  }
  expect(new Set(replies.map(({ status }) => status)).size).toBeGreaterThan(3);
});

test('clients of a public address with TLS are told to keep to it', async () => {
  const { headers } = await postJsonRpc(behindTls.url(), undefined, list);
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  expect(headers.get('www-authenticate')).toContain(
    'resource_metadata="https://baton.example/.well-known/oauth-protected-resource/mcp"',
  );
});

test.each([
  ['host', 'evil"><script>'],
  ['host', 'a b'],
  ['host', 'one/two'],
  ['x-forwarded-host', 'evil", error="none'],
  ['x-forwarded-proto', 'javascript'],
])('a request with %s: %s is refused, and the value is in no header', async (name, value) => {
  const headers: [string, string][] = [
    ...(name === 'host' ? [] : ([['host', 'baton.example']] as [string, string][])),
    [name, value],
  ];
  const reply = await sendRawRequest(baton.url(), { method: 'GET', path: '/v1/tasks', headers }, 5_000);
  expect(reply.status).toBe(400);
  expect(JSON.stringify([...reply.headers])).not.toContain(value);
});

test.each([
  ['host', 'baton.example'],
  ['host', '127.0.0.1:8080'],
  ['host', '[::1]:8080'],
  ['x-forwarded-host', 'baton.example:443'],
])('a request with %s: %s is served', async (name, value) => {
  const headers: [string, string][] = [
    ...(name === 'host' ? [] : ([['host', 'inner']] as [string, string][])),
    [name, value],
  ];
  const path = '/.well-known/oauth-protected-resource';
  const reply = await sendRawRequest(baton.url(), { method: 'GET', path, headers }, 5_000);
  expect(JSON.parse(reply.text).resource).toBe(`http://${value}/mcp`);
});
