import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';

/** Bodies whose chunks are many times as large on the wire, or in memory, as what they hold. */
const REQUEST_BYTES = 1_048_576;
/** What a piece counts at least. */
const PIECE = 64;

let baton: InProcessDeployment;
let redis: Redis;
beforeAll(async () => {
  const limits = { requestBytes: REQUEST_BYTES, requestsPerSecond: 1, burst: 1_000 };
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0, limits });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** What is said to these chunks, which may have no end. */
async function post(chunks: string): Promise<{ status: number; body: AnyJson }> {
  const { hostname, port } = new URL(baton.url());
  const socket = connect(Number(port), hostname);
  // It is refused before it has written all.
  socket.on('error', () => {});
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${baton.apiKey}\r\n` +
      'content-type: application/json\r\naccept: application/json, text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  socket.write(chunks);
  let reply = '';
  while (!/\r\n\r\n.*\}$/s.test(reply)) reply += String((await once(socket, 'data'))[0]);
  socket.destroy();
  return { status: Number(reply.slice(9, 12)), body: JSON.parse(reply.slice(reply.indexOf('{'))) };
}

const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
const END = '0\r\n\r\n';

async function tokensLeft(): Promise<number> {
  const [key = ''] = await redis.keys('*:t:acme:rates');
  return Number(await redis.hget(key.replace(/:rates$/, ''), 'tokens'));
}

test('a body in pieces of a byte is read, and costs as much of the rate as a large one', async () => {
  const body = PING.padEnd(10_000);
  expect((await post(chunk(PING) + END)).status).toBe(200);
  const before = await tokensLeft();
  expect(await post([...body].map((byte) => chunk(byte)).join('') + END)).toMatchObject({
    status: 200,
    body: { id: 1, result: {} },
  });
  const cost = before - (await tokensLeft());
  expect(cost).toBeGreaterThan((body.length * PIECE) / 16_384 - 5);
});

test('a body in more pieces than it may have is refused where it exceeds them, whether it ends or not', async () => {
  const { status, body } = await post(chunk(' ').repeat(REQUEST_BYTES / PIECE + 1));
  expect(status).toBe(413);
  expect(body.error.data).toMatchObject({ code: 'limit_size', limit: 'requestBytes', most: REQUEST_BYTES });
  expect(body.error.message).toMatch(/16385 pieces of 16385 bytes in all.* send it in larger chunks/);
});

test('extensions of chunks are not read without end', async () => {
  const { status, body } = await post(chunk(' ', `;x=${'y'.repeat(8_000)}`).repeat(100));
  expect(status).toBe(413);
  expect(body.error.data).toMatchObject({ code: 'limit_size' });
  expect(body.error.message).toMatch(/were sent to frame its chunks: send it without chunk extensions/);
});
