import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayClient } from './gateway-client.ts';

let body = '';
const asked: (string | undefined)[] = [];
const server = createServer(({ url }, response) => {
  asked.push(url);
  if (url === '/moved') response.writeHead(307, { location: '/elsewhere' }).end();
  else response.writeHead(500).end(body);
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => server.close());

async function refusalOf(said: string, path = '/mcp'): Promise<unknown> {
  body = said;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const client = new GatewayClient({ url, key: 'k' });
  return client.waitForTask('t', 0, AbortSignal.timeout(60_000)).catch((error: unknown) => error);
}

test('a refusal is found in the body of an error, whatever stands around it', async () => {
  const error = {
    code: -32000,
    message: 'm',
    data: { code: 'tenant_suspended', message: 'It is suspended.' },
  };
  const refused = `a proxy said ${JSON.stringify({ jsonrpc: '2.0', id: 1, error })} and no more`;
  expect(await refusalOf(refused)).toMatchObject({ code: 'tenant_suspended', message: 'It is suspended.' });
});

// A time that grows with the square of the length would be more than the test has.
test.each([
  ['no brackets', 'gone'],
  ['brackets that close before they open', '} gone {'],
  ['a great many brackets', '{'.repeat(500_000)],
])('a body of %s is no answer that can be read', async (_claim, said) => {
  expect(await refusalOf(said)).toMatchObject({ code: 'unavailable' });
});

test('a gateway that redirects is no answer that can be read, and no request reaches where it leads', async () => {
  expect(await refusalOf('', '/moved')).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('redirect'),
  });
  expect(asked).not.toContain('/elsewhere');
});
