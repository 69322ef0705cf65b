import { createConnection } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

const REQUEST_MS = 1_000;
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0, edgeLimits: { requestMs: REQUEST_MS } });
});
afterAll(() => baton?.stop());

/** Sends a head and then a byte of its body now and again, and gives what came back when the server closes the connection. */
function dribble(path: string): Promise<string> {
  const { hostname, port } = new URL(baton.url());
  const socket = createConnection({ host: hostname, port: Number(port) });
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: baton',
    `Authorization: Bearer ${baton.apiKey}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n{`);
  const byte = setInterval(() => socket.write(' '), 100);
  return new Promise((resolve) => {
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(byte);
      resolve(received);
    });
  });
}

test.each(['/mcp', '/v1/tools/get_tasks'])(
  'a body of %s that comes too slowly ends with 408 and its connection, and holds up nobody else',
  async (path) => {
    const slow = dribble(path);
    const headers = { authorization: `Bearer ${baton.apiKey}` };
    expect((await fetch(`${baton.url()}/v1/tasks`, { headers })).status).toBe(200);
    const reply = await slow;
    const [head = '', body = ''] = reply.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 408 Request Timeout/);
    expect(head).toMatch(/^x-baton-replica: gateway-0$/im);
    expect(head).toMatch(/^connection: close$/im);
    expect(JSON.parse(body)).toMatchObject({ status: 408, code: 'invalid_arguments' });
  },
);
