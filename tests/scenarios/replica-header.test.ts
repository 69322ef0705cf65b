import { createConnection } from 'node:net';
import { MAX_BODY_BYTES } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';

let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
});
afterAll(() => baton?.stop());

/** Sends bytes as they are, and gives what comes back until the server closes the connection. */
function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(baton.url());
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') reject(error);
    });
    socket.write(bytes);
  });
}

const head = (line: string, ...more: string[]) =>
  `${[line, 'Host: baton', 'Connection: close', ...more].join('\r\n')}\r\n\r\n`;

test.each<[string, number, () => string]>([
  ['bytes that are no HTTP', 400, () => 'nonsense\r\n\r\n'],
  ['a method that does not exist', 400, () => head('FETCH /mcp HTTP/1.1')],
  [
    'two framings of one body',
    400,
    () => head('POST /mcp HTTP/1.1', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
  ],
  ['a head that is too large', 431, () => head('GET /mcp HTTP/1.1', `X: ${'x'.repeat(20_000)}`)],
  ['a path that cannot be decoded', 400, () => head('GET /v1/projects/%ff HTTP/1.1')],
  ['no Host', 400, () => 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['a Host that is none', 400, () => 'GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'],
  ['nothing at its path', 404, () => head('GET /nothing HTTP/1.1')],
  ['no credential', 401, () => head('POST /mcp HTTP/1.1', 'Content-Length: 0')],
  ['no credential, over REST', 401, () => head('GET /v1/tasks HTTP/1.1')],
  ['a method that /mcp does not take', 405, () => head('PUT /mcp HTTP/1.1')],
  [
    'a foreign origin',
    403,
    () => head('POST /mcp HTTP/1.1', 'Origin: https://evil.example', 'Content-Length: 0'),
  ],
  [
    'a body that is no JSON',
    400,
    () =>
      head(
        'POST /mcp HTTP/1.1',
        `Authorization: Bearer ${baton.apiKey}`,
        'Content-Type: application/json',
        'Content-Length: 1',
      ) + '{',
  ],
  [
    'a body that announces more than is taken',
    413,
    () =>
      head(
        'POST /mcp HTTP/1.1',
        `Authorization: Bearer ${baton.apiKey}`,
        'Content-Type: application/json',
        `Content-Length: ${MAX_BODY_BYTES + 1}`,
      ),
  ],
  [
    'a body of another type',
    415,
    () =>
      `${head(
        'POST /v1/tenants HTTP/1.1',
        `Authorization: Bearer ${OPERATOR_TOKEN}`,
        'Content-Type: text/plain',
        'Content-Length: 1',
      )}x`,
  ],
  ['an expectation that is not known', 200, () => head('GET /healthz HTTP/1.1', 'Expect: the unexpected')],
  ['HTTP/1.0 without a Host', 200, () => 'GET /healthz HTTP/1.0\r\n\r\n'],
])('a request with %s is answered with %i, by a replica that names itself', async (_what, status, bytes) => {
  const reply = await exchange(bytes());
  const [headers = ''] = reply.split('\r\n\r\n');
  expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(headers).toMatch(/^x-baton-replica: gateway-0$/im);
  expect(headers).toMatch(/^x-content-type-options: nosniff$/im);
});
