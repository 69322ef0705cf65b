import { afterAll, beforeAll, expect, test } from 'vitest';
import { Deployment, OPERATOR_TOKEN } from '../harness/deployment.ts';
import { postJsonRpc } from '../harness/mcp-client.ts';

let baton: Deployment;
let clients: string;
let operators: string;
beforeAll(async () => {
  baton = await Deployment.start({ gateways: 1, workers: 0, gateway: { operatorPort: 0 } });
  const [gateway] = baton.gateways;
  [clients, operators] = [gateway?.url ?? '', gateway?.operatorUrl ?? ''];
});
afterAll(() => baton?.stop());

const status = async (url: string, token: string) =>
  (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;

test('where operators have a listener, the other one refuses their token like any wrong one', async () => {
  expect(operators).not.toBe(clients);
  for (const path of ['/v1/tenants/acme/keys', '/v1/tenants/acme/tasks', '/v1/tasks'])
    expect([path, await status(`${clients}${path}`, OPERATOR_TOKEN)]).toEqual([path, 401]);
  for (const path of ['/v1/tenants', '/metrics'])
    expect([path, await status(`${clients}${path}`, OPERATOR_TOKEN)]).toEqual([path, 404]);
});

test('operators manage tenants at their listener, and clients call nothing there', async () => {
  for (const path of ['/v1/tenants', '/v1/tenants/acme/keys', '/metrics', '/readyz'])
    expect([path, await status(`${operators}${path}`, OPERATOR_TOKEN)]).toEqual([path, 200]);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  expect((await postJsonRpc(operators, baton.apiKey, list)).status).toBe(404);
  expect((await postJsonRpc(clients, baton.apiKey, list)).status).toBe(200);
});
