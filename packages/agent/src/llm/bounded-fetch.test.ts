import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBoundedFetch } from './bounded-fetch.ts';

let reply = { type: 'application/json', body: '' };
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': reply.type });
  response.end(reply.body);
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
const read = async (type: string, body: string) => {
  reply = { type, body };
  return (
    await createBoundedFetch(fetch)(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  ).text();
};

test('a reply within the bounds comes as it was sent, JSON or not', async () => {
  expect(await read('application/json', '{"a":[1]}')).toBe('{"a":[1]}');
  expect(await read('text/event-stream', 'data: {}\n\n')).toBe('data: {}\n\n');
  expect(await read('application/json', '{"half')).toBe('{"half');
});

test('a JSON reply that nests too deep is never parsed', async () => {
  await expect(read('application/json', '['.repeat(3_000))).rejects.toMatchObject({
    type: 'api_error',
    message: "The LLM endpoint's reply nests deeper than 64 levels.",
  });
});

test.each(['application/json', 'text/event-stream'])(
  'a reply of %s is never read beyond 4 MiB',
  async (type) => {
    await expect(read(type, ' '.repeat(4_194_305))).rejects.toMatchObject({
      type: 'answer_too_large',
      kind: 'final',
    });
  },
);
