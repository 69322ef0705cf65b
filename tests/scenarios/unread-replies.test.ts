import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { postJsonRpc } from '../harness/mcp-client.ts';

/** Replies that nobody reads: what they hold is bounded by key, and their connections are closed. */
const PER_KEY = 8_000_000;
const STALL_MS = 3_000;

let baton: InProcessDeployment;
let key: string;
let other: string;
beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 0,
    edgeLimits: { bufferBytesPerKey: PER_KEY, writeStallMs: STALL_MS },
  });
  const limits = { projectBytes: 32 * 1_048_576, requestsPerSecond: 100_000, burst: 100_000 };
  [key, other] = [await baton.addTenant('reading', limits), await baton.addTenant('others', limits)];
  for (const owner of [key, other]) await putProject(owner);
});
afterAll(() => baton.stop());

/** A project of some 9 MB. */
async function putProject(owner: string) {
  const tasks = Array.from({ length: 400 }, (_, n) => ({
    id: n + 1,
    title: 't',
    description: 'é'.repeat(1_150),
  }));
  const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/json' };
  const put = { method: 'PUT', headers, body: JSON.stringify({ master: { tasks } }) };
  expect((await fetch(`${baton.url()}/v1/projects/big`, put)).status).toBe(200);
  for (let n = 0; n < 8; n++) {
    const copy = {
      name: 'copy_tag',
      arguments: { projectRoot: 'big', sourceName: 'master', targetName: `c${n}` },
    };
    const { body } = await postJsonRpc(baton.url(), owner, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: copy,
    });
    expect(body.result.isError).not.toBe(true);
  }
}

async function metric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const shown = await (await fetch(`${baton.url()}/metrics`, { headers })).text();
  const line = shown.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}

/** A client that asks for the project and reads no byte of the reply. */
function askWithoutReading(owner: string): Socket {
  const socket = connect({ port: Number(new URL(baton.url()).port), host: '127.0.0.1' });
  socket.pause().on('error', () => {});
  socket.write(`GET /v1/projects/big HTTP/1.1\r\nhost: baton\r\nauthorization: Bearer ${owner}\r\n\r\n`);
  return socket;
}

const read = (owner: string) =>
  fetch(`${baton.url()}/v1/projects/big`, { headers: { authorization: `Bearer ${owner}` } });

test('a large reply comes whole, and counts for nothing once it was read', async () => {
  const reply = await read(key);
  const text = await reply.text();
  expect(Number(reply.headers.get('content-length'))).toBe(Buffer.byteLength(text));
  expect(JSON.parse(text).c7.tasks).toHaveLength(400);
  await vi.waitFor(async () => expect(await metric('baton_buffer_bytes')).toBe(0));
});

test('a key that does not read holds a bounded number of bytes, is refused, and slows nobody; then its connections are closed', async () => {
  const clients: Socket[] = [];
  for (let n = 0; n < 20; n++) clients.push(askWithoutReading(key));
  await vi.waitFor(async () => expect(await metric('baton_buffer_bytes')).toBeGreaterThan(PER_KEY), {
    timeout: 10_000,
  });
  const refused = await read(key);
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, 'limit_buffers']);
  expect(refused.headers.get('retry-after')).toBe('1');
  const most = 2 * PER_KEY;
  expect(await metric('baton_buffer_bytes')).toBeLessThanOrEqual(most);

  const whole = await read(other);
  expect([whole.status, JSON.parse(await whole.text()).c7.tasks.length]).toEqual([200, 400]);

  await vi.waitFor(async () => expect(await metric('baton_buffer_bytes')).toBe(0), {
    timeout: 20_000,
    interval: 100,
  });
  expect(await metric('baton_closed_connections_total{reason="stalled"}')).toBeGreaterThan(0);
  const again = await read(key);
  expect(again.status, 'there is room again').toBe(200);
  await again.text();
  for (const socket of clients) socket.destroy();
});

test('replies of a batch that nobody reads count as the others do, from when they are made', async () => {
  const requests = Array.from({ length: 10 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'get_tasks', arguments: { projectRoot: 'big', tag: `c${id % 8}`, limit: 1_000 } },
  }));
  const body = Buffer.from(JSON.stringify(requests));
  const bounded = await metric('baton_closed_connections_total{reason="buffers"}');
  const clients: Socket[] = [];
  for (let n = 0; n < 3; n++) {
    const socket = connect({ port: Number(new URL(baton.url()).port), host: '127.0.0.1' });
    socket.pause().on('error', () => {});
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: baton\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
        `accept: application/json, text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    clients.push(socket);
  }
  await vi.waitFor(
    async () =>
      expect(await metric('baton_closed_connections_total{reason="buffers"}')).toBeGreaterThan(bounded),
    { timeout: 20_000, interval: 100 },
  );
  expect(await metric('baton_buffer_bytes')).toBeLessThanOrEqual(2 * PER_KEY);
  for (const socket of clients) socket.destroy();
  await vi.waitFor(async () => expect(await metric('baton_buffer_bytes')).toBe(0), { timeout: 20_000 });
}, 60_000);

test('who shows no key holds what it does not read as its own, and not as the operator', async () => {
  const closed = () => metric('baton_closed_connections_total{reason="buffers"}');
  const before = await closed();
  const exporting = connect({ port: Number(new URL(baton.url()).port), host: '127.0.0.1' });
  exporting.pause().on('error', () => {});
  exporting.write(
    `GET /v1/tenants/others/projects/big HTTP/1.1\r\nhost: baton\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`,
  );
  await vi.waitFor(async () => expect(await metric('baton_buffer_bytes')).toBeGreaterThan(0));
  const clients = Array.from({ length: 20 }, () => {
    const socket = connect({ port: Number(new URL(baton.url()).port), host: '127.0.0.1' });
    socket.pause().on('error', () => {});
    socket.write('GET /v1/openapi.json HTTP/1.1\r\nhost: baton\r\n\r\n'.repeat(8));
    return socket;
  });
  // Four at a time are served; the others of the address are refused after a second.
  await vi.waitFor(async () => expect(await metric('baton_buffer_bytes')).toBeGreaterThan(9_500_000));
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    exporting.on('close', () => reject(new Error(`the operator's reply was cut off after ${bytes} bytes`)));
    exporting.on('data', (part) => {
      bytes += part.length;
      if (bytes >= 8_000_000) resolve();
    });
    exporting.resume();
  }).finally(() => exporting.removeAllListeners('close').destroy());
  expect(await closed()).toBe(before);
  for (const socket of clients) socket.destroy();
  await vi.waitFor(async () => expect(await metric('baton_buffer_bytes')).toBe(0), { timeout: 20_000 });
}, 60_000);

test('a client that reads slowly is never closed as one that does not read', async () => {
  const socket = askWithoutReading(other);
  let bytes = 0;
  const stalled = await metric('baton_closed_connections_total{reason="stalled"}');
  await new Promise<void>((resolve, reject) => {
    socket.on('close', () => reject(new Error(`closed after ${bytes} bytes`)));
    // Longer than the limit in all, never as long without a byte; the systems between hold some millions of them.
    let pausedAt = 1_000_000;
    const timer = setInterval(() => socket.resume(), 500);
    socket.on('data', (part) => {
      bytes += part.length;
      if (bytes >= 8_000_000) {
        clearInterval(timer);
        resolve();
      } else if (bytes >= pausedAt) {
        pausedAt = bytes + 1_000_000;
        socket.pause();
      }
    });
  }).finally(() => socket.removeAllListeners('close').destroy());
  expect(await metric('baton_closed_connections_total{reason="stalled"}')).toBe(stalled);
}, 60_000);
