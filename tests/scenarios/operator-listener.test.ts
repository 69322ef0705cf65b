import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { postJsonRpc } from '../harness/mcp-client.ts';

const MOST = 5;

let baton: InProcessDeployment;
let clients: string;
let operators: string;
beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 0,
    gateway: { operatorPort: 0 },
    edgeLimits: { connections: MOST },
  });
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

async function metric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const shown = await (await fetch(`${operators}/metrics`, { headers })).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(shown)?.[1] ?? Number.NaN);
}

test('the metrics for operators count the requests of clients too', async () => {
  await fetch(`${clients}/v1/tasks`);
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const text = await (await fetch(`${operators}/metrics`, { headers })).text();
  expect(text).toMatch(
    /baton_http_request_seconds_count\{route="\/v1\/tasks",method="GET",status="401"\} [1-9]/,
  );
});

test('what the edge refuses at either listener is counted once for both', async () => {
  const before = await metric('baton_wrong_credentials_total');
  for (const url of [clients, operators])
    expect(await status(`${url}/v1/tasks`, 'no-such-token-at-all')).toBe(401);
  expect(await metric('baton_wrong_credentials_total')).toBe(before + 2);
});

test('connections of clients never take the places of operators', async () => {
  const sockets: Socket[] = [];
  for (let n = 0; n < MOST + 3; n++) {
    const socket = connect({ port: Number(new URL(clients).port), host: '127.0.0.1' });
    socket.on('error', () => {});
    // Under way until its body comes: such a connection is not idle.
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    );
    sockets.push(socket);
  }
  const open = () => sockets.filter(({ destroyed }) => !destroyed).length;
  await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(MOST));
  expect(await status(`${operators}/v1/tenants`, OPERATOR_TOKEN)).toBe(200);
  expect(await metric('baton_connections'), 'those of both').toBeGreaterThan(MOST);
  for (const socket of sockets) socket.destroy();
});
