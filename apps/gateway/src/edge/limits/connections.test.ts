import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { Connections } from './connections.ts';
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from './edge-limits.ts';
import { EdgeMetrics } from './edge-metrics.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const end of cleanups.splice(0)) end();
});

/** A server whose requests are under way until the test answers them. */
async function serve(limits: Partial<EdgeLimits>, trustProxy = false) {
  const metrics = new EdgeMetrics();
  const server = createServer();
  const all = { ...DEFAULT_EDGE_LIMITS, ...limits };
  const connections = new Connections(server, all, trustProxy, metrics);
  const underWay: ServerResponse[] = [];
  server.on('request', (asked, response) => {
    try {
      if (!connections.begin(asked, response)) return;
      const key = asked.headers['x-key'];
      if (typeof key === 'string') connections.attachKey(asked.socket, key);
    } catch (error) {
      response.writeHead(429).end(String((error as { code: string }).code));
      return;
    }
    underWay.push(response);
    server.emit('began');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  cleanups.push(() => {
    connections.stop();
    server.closeAllConnections();
    server.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    cleanups.push(() => socket.destroy());
    await once(server, 'connection');
    return socket;
  };
  const ask = async (socket: Socket, headers = '') => {
    const began = once(server, 'began');
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\n${headers}\r\n`);
    await began;
  };
  const closed = async (reason: string) =>
    (await metrics.closedConnections.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
  return { server, port, open, ask, closed, underWay, metrics };
}

test('a connection too many of an address takes the place of the longest idle one, never of a busy one', async () => {
  const { open, ask, closed } = await serve({ connectionsPerAddress: 3 });
  const [busy, idle, idleToo] = [await open(), await open(), await open()];
  await ask(busy);
  const gone = once(idle, 'close');
  const late = await open();
  await gone;
  expect([busy.destroyed, idleToo.destroyed, late.destroyed]).toEqual([false, false, false]);
  for (const socket of [idleToo, late]) await ask(socket);
  const refused = await open();
  await once(refused, 'close');
  expect([busy, idleToo, late].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  expect(await closed('address')).toBe(2);
});

test('connections are bounded in all', async () => {
  const { open, closed, metrics } = await serve({ connections: 2 });
  const first = await open();
  await open();
  const gone = once(first, 'close');
  await open();
  await gone;
  expect(await closed('total')).toBe(1);
  expect((await metrics.connections.get()).values[0]?.value).toBe(2);
});

test.each([
  ['a key', false, 'x-key: k\r\n', { connectionsPerKey: 2 }],
  ['a forwarded address', true, 'x-forwarded-for: 192.0.2.1\r\n', { connectionsPerAddress: 2 }],
])(
  'requests under way of %s are bounded, and those that ended do not count',
  async (_of, trustProxy, headers, limits) => {
    const { open, ask, underWay, port } = await serve(limits, trustProxy);
    const [one, two] = [await open(), await open()];
    await ask(one, headers);
    await ask(two, headers);
    const agent = new Agent();
    const [name = '', value = ''] = headers.trim().split(': ');
    const status = async () => {
      const asked = httpRequest({ port, agent, headers: { [name]: value } }).end();
      const [reply] = await once(asked, 'response');
      reply.resume();
      return reply.statusCode as number;
    };
    expect(await status()).toBe(429);
    const [first] = underWay;
    first?.end();
    await once(one, 'data');
    await ask(one, headers);
    underWay.at(-1)?.destroy();
    await once(one, 'close');
    await ask(await open(), headers);
    expect(await status()).toBe(429);
  },
);

test('a request too many of a connection is refused after the replies to those before, and ends it', async () => {
  const { open, closed, underWay, server } = await serve({});
  const socket = await open();
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk)));
  const gone = once(socket, 'close');
  const requests = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(50);
  let asked = 0;
  server.on('request', () => (asked += 1));
  socket.write(requests);
  await vi.waitFor(() => expect(asked).toBe(50));
  // Nothing that comes later is parsed.
  socket.write(requests);
  for (const [at, response] of underWay.toReversed().entries()) response.end(`reply ${7 - at};`);
  await gone;
  expect(underWay).toHaveLength(8);
  expect(received.match(/reply \d/g)).toEqual(Array.from({ length: 8 }, (_, at) => `reply ${at}`));
  const refusal = received.slice(received.lastIndexOf('HTTP/1.1'));
  expect(refusal).toMatch(/^HTTP\/1\.1 429 .*connection: close.*limit_connections/is);
  expect(received.match(/HTTP\/1\.1/g)).toHaveLength(9);
  expect(asked).toBe(50);
  expect(await closed('pipelining')).toBe(1);
});

test('a connection that sends a hundred requests at once is closed: what Node holds of them is bounded', async () => {
  const { open, closed, underWay } = await serve({});
  const socket = await open();
  const gone = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100));
  await gone;
  expect(underWay).toHaveLength(8);
  expect(await closed('pipelining')).toBe(1);
});

test('a connection whose client takes nothing is closed, one that waits for its reply never is', async () => {
  const { open, ask, closed, underWay } = await serve({ writeStallMs: 200 });
  const [stalled, waiting] = [await open(), await open()];
  await ask(stalled);
  await ask(waiting);
  stalled.pause();
  // More than the system takes for a client that does not read.
  underWay[0]?.end(Buffer.alloc(32 * 1_048_576));
  await vi.waitFor(async () => expect(await closed('stalled')).toBe(1), { timeout: 10_000, interval: 20 });
  await vi.waitFor(() => expect(underWay[0]?.destroyed).toBe(true));
  expect(underWay[1]?.destroyed).toBe(false);
  underWay[1]?.end('late');
  expect(String(await once(waiting, 'data'))).toContain('late');
});
