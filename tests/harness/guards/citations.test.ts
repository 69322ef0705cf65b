import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { findUnsentCitations } from './citations.ts';
import { countWireRequests } from './wire-requests.ts';

test('a test that cites requirements and sends nothing is a violation', () => {
  expect(findUnsentCitations('refuses it [tool-error, tool-unknown]', 0)).toEqual([
    'It cites tool-error, tool-unknown, which only a test over the wire may, and sent no request.',
  ]);
  expect(findUnsentCitations('refuses it [tool-error]', 1)).toEqual([]);
  expect(findUnsentCitations('[tool-error] is no citation here', 0)).toEqual([]);
});

test('only requests to /mcp and /v1 over a socket count', async () => {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const counted = async (path: string) => {
    const before = countWireRequests();
    await (await fetch(url + path)).text();
    return countWireRequests() > before;
  };
  expect([await counted('/healthz'), await counted('/mcp'), await counted('/v1/tasks')]).toEqual([
    false,
    true,
    true,
  ]);
  server.close();
});
