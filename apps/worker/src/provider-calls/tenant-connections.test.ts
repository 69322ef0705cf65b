import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { AddressGuard } from './address-guard.ts';
import { ReplyBudget } from './reply-budget.ts';
import { TenantConnections } from './tenant-connections.ts';

const sockets = new Set<Socket>();
let opened = 0;
let answer: RequestListener;
// It keeps connections for longer than Baton does.
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => answer(request, response));
server.on('connection', (socket) => {
  opened++;
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
});
let url = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  // Those that a call has cut off end with an error.
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  opened = 0;
  answer = (_request, response) => void response.end('yes');
});

/** The addresses that its guard was asked about. */
class CountingGuard extends AddressGuard {
  readonly asked: string[] = [];

  override async resolve(host: string) {
    this.asked.push(host);
    return super.resolve(host);
  }
}

function open(allowed = ['127.0.0.0/8'], memory = new ReplyBudget()) {
  const guard = new CountingGuard(allowed);
  const connections = new TenantConnections(guard, memory);
  const call = (tenant: string, to = url) =>
    connections.during(tenant, async () => (await connections.fetchOf(tenant)(to)).text());
  return { guard, call, connections };
}

test("a tenant's calls share a connection one after the other, and its name is looked up once; tenants never share one", async () => {
  const { call, guard } = open();
  for (let n = 0; n < 3; n++) {
    expect(await call('acme')).toBe('yes');
    // The reply is read in the turn in which its connection gets free.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([opened, guard.asked]).toEqual([1, ['localhost']]);
  await call('other');
  expect([opened, guard.asked]).toEqual([2, ['localhost', 'localhost']]);
});

test('calls at once have a connection each, which ends when no call has used it for 2 s', async () => {
  const { call } = open();
  await Promise.all([call('acme'), call('acme'), call('acme')]);
  expect(opened).toBe(3);
  await expect.poll(() => sockets.size, { timeout: 5_000 }).toBe(0);
  expect(await call('acme'), 'as one that is opened anew').toBe('yes');
  expect(opened).toBe(4);
});

test('another host has another connection, whose address is checked', async () => {
  const { call, guard } = open(['127.0.0.1/32']);
  await call('acme');
  await expect(call('acme', url.replace('localhost', '127.0.0.2'))).rejects.toMatchObject({
    type: 'address_refused',
  });
  expect(guard.asked).toEqual(['localhost', '127.0.0.2']);
});

test('a connection is never used again after a redirect or a reply that was cut off', async () => {
  const { call } = open();
  answer = (_request, response) =>
    void response.writeHead(302, { location: 'http://169.254.169.254/' }).end('moved');
  expect(await call('acme'), 'which is not followed').toBe('moved');
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('half');
    response.socket?.destroySoon();
  };
  await expect(call('acme')).rejects.toThrow();
  answer = (_request, response) => void response.end('yes');
  expect(await call('acme')).toBe('yes');
});

test.each([
  ['a stream of events', 'text/event-stream', 'data: {}\n\n'],
  ['JSON', 'application/json', '[[[[[[[[]]]]]]]]'],
])(
  "%s without an end, that is read as fast as it comes, leaves room for other tenants' replies",
  async (_what, type, part) => {
    const { call, connections } = open();
    answer = (request, response) => {
      if (request.url !== '/endless') return void response.end('yes');
      response.setHeader('content-type', type);
      const write = () => {
        while (response.write(part.repeat(4_096)));
      };
      response.on('drain', write);
      write();
    };
    const ended = new AbortController();
    let read = 0;
    const flood = connections
      .during('mallory', async () => {
        const fetch = connections.fetchOf('mallory');
        const readAll = async () => {
          const { body } = await fetch(`${url}/endless`, { signal: ended.signal });
          for await (const piece of body ?? []) {
            read += piece.length;
            expect(piece.length).toBeLessThanOrEqual(4_096);
          }
        };
        await Promise.all(Array.from({ length: 16 }, readAll));
      })
      .catch((error: Error) => error.name);
    await expect.poll(() => read).toBeGreaterThan(100_000);
    for (let n = 0; n < 20; n++) {
      const before = read;
      expect(await call('acme')).toBe('yes');
      // Some turns of the event loop, and one piece in each.
      expect(read - before).toBeLessThan(400 * 4_096);
    }
    ended.abort();
    expect(await flood).toBe('AbortError');
  },
);

test("replies that do not end take the room of their own tenant's replies, and give it back when their calls end", async () => {
  const { call, connections } = open(undefined, new ReplyBudget(40_000));
  answer = (request, response) => {
    response.write('x'.repeat(request.url === '/small' ? 12_000 : 30_000));
    if (request.url !== '/endless') response.end();
  };
  const ended = new AbortController();
  let read = 0;
  const endless = connections
    .during('mallory', async () => {
      const { body } = await connections.fetchOf('mallory')(`${url}/endless`, { signal: ended.signal });
      for await (const piece of body ?? []) read += piece.length;
    })
    .catch((error: Error) => error.name);
  await expect.poll(() => read).toBe(30_000);
  expect(await call('acme', `${url}/small`), 'over the most, and within its share').toHaveLength(12_000);
  await expect(call('mallory', `${url}/large`)).rejects.toMatchObject({
    type: 'overloaded_error',
    message: expect.stringContaining('its most is 40000'),
  });
  ended.abort();
  expect(await endless).toBe('AbortError');
  await expect.poll(() => call('mallory', `${url}/large`)).toHaveLength(30_000);
});

test('whole replies are not lost when their endpoint closes its idle connections before the pace of their tenant comes to them', async () => {
  const { call } = open();
  const reply = 'x'.repeat(4_000_000);
  const hasty = createServer({ keepAliveTimeout: 500 }, (_request, response) => {
    response.setHeader('content-length', reply.length).end(reply);
  });
  hasty.listen(0, '127.0.0.1');
  await once(hasty, 'listening');
  const { port } = hasty.address() as AddressInfo;
  const calls = Array.from({ length: 8 }, () => call('acme', `http://localhost:${port}`));
  expect((await Promise.all(calls)).map(({ length }) => length)).toEqual(calls.map(() => reply.length));
  hasty.close();
});

test('whole replies and others of one tenant at once are not more than its connections may receive', async () => {
  const { call } = open();
  const reply = 'x'.repeat(2_000_000);
  answer = ({ url: path }, response) => {
    if (path === '/whole') response.setHeader('content-length', reply.length);
    else response.write(reply.slice(0, 1));
    response.end(path === '/whole' ? reply : reply.slice(1));
  };
  const paths = Array.from({ length: 16 }, (_, at) => (at < 8 ? '/whole' : '/chunked'));
  const read = await Promise.all(paths.map((path) => call('acme', url + path)));
  expect(read.map(({ length }) => length)).toEqual(paths.map(() => reply.length));
});

test('an endpoint that sends more around the chunks of a reply than replies have is cut off, and its memory is not taken', async () => {
  const { connections } = open();
  answer = ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
    const part = `1;x=${'y'.repeat(8_000)}\r\n \r\n`.repeat(100);
    const write = () => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', write).on('error', () => {});
    write();
  };
  const read = connections.during('mallory', async () => (await connections.fetchOf('mallory')(url)).text());
  await expect(read).rejects.toMatchObject({
    cause: { type: 'api_error', message: expect.stringMatching(/sent \d+ bytes within 250 ms/) },
  });
});
