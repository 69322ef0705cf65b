import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBoundedFetch } from './bounded-fetch.ts';

let reply: { type: string; body: string | Uint8Array; isCut?: boolean } = { type: '', body: '' };
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': reply.type });
  if (reply.isCut !== true) return void response.end(reply.body);
  response.write(reply.body, () => response.destroy());
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
const read = async (type: string, body: string | Uint8Array, isCut = false) => {
  reply = { type, body, isCut };
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

test.each(['application/json', 'text/event-stream'])(
  'a reply of %s is read by its character set, and is never altered silently',
  async (type) => {
    const [body, latin] = [Buffer.from('{"a":"café"}'), Buffer.from('{"a":"café"}', 'latin1')];
    expect(await read(type, body)).toBe('{"a":"café"}');
    expect(await read(`${type}; charset=latin1`, latin)).toBe('{"a":"café"}');
    expect(await read(`${type}; charset="ISO-8859-1"`, latin)).toBe('{"a":"café"}');
    await expect(read(`${type};charset=utf-8`, latin)).rejects.toMatchObject({
      type: 'api_error',
      message: "The LLM endpoint's reply is no text in utf-8.",
    });
    await expect(read(`${type}; charset=klingon`, body)).rejects.toMatchObject({
      message: "The LLM endpoint's reply is no text in klingon.",
    });
  },
);

test.each(['application/json', 'text/event-stream'])(
  'a reply of %s whose connection breaks off says so',
  async (type) => {
    await expect(read(type, '{"half', true)).rejects.toMatchObject({
      type: 'api_error',
      kind: 'passing',
      message: expect.stringMatching(/^The LLM endpoint's reply ended before it was whole: ./),
    });
  },
);

const events = (data: readonly object[]) => data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
const call = { index: 0, id: 'c1', function: { name: 'search', arguments: '{}' } };
const chunk = (calls: number) => ({ choices: [{ delta: { tool_calls: Array(calls).fill(call) } }] });
const toolUse = { type: 'tool_use', id: 't1', name: 'search', input: {} };

test.each([
  ['in one event', 'text/event-stream', events([chunk(201)]), 'more than 200 in one event'],
  [
    'in one event that is not JSON to the end',
    'text/event-stream',
    events([chunk(500)]).slice(0, -30),
    '200',
  ],
  ['in a whole reply', 'application/json', JSON.stringify({ message: chunk(1_001) }), 'more than 1000'],
  [
    'in a whole reply of blocks',
    'application/json',
    JSON.stringify({ content: Array(1_001).fill(toolUse) }),
    '1000',
  ],
])(
  'too many calls of functions %s are refused before they are worked on',
  async (_where, type, body, problem) => {
    await expect(read(type, body)).rejects.toMatchObject({
      type: 'answer_too_large',
      message: expect.stringContaining(problem),
    });
  },
);

test('calls within the bounds, long arguments in pieces, and text about calls come as they were sent', async () => {
  const pieces = Array(20_000).fill({
    choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'x', arguments: '{"name"' } }] } }],
  });
  const text = { choices: [{ delta: { content: JSON.stringify(chunk(1_000)) } }] };
  for (const data of [[chunk(200)], pieces, Array(20).fill(text)]) {
    const body = events(data);
    expect(await read('text/event-stream', body)).toBe(body);
  }
});
