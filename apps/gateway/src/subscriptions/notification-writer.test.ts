import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { RESOURCE_LIST, NotificationWriter } from './notification-writer.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** An outlet and its client, over a real connection. */
async function pair() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [, raw] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const over = vi.fn<() => void>();
  const outlet = new NotificationWriter(raw, { 'x-baton-replica': 'r' }, over);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  ends.push(() => {
    asked.destroy();
    server.close();
    server.closeAllConnections();
  });
  let text = '';
  const read = () => response.on('data', (chunk) => (text += String(chunk)));
  const uris = () => [...text.matchAll(/"uri":"([^"]*)"/g)].map(([, uri]) => uri);
  const until = (last: string) =>
    vi.waitFor(() => expect(uris()).toContain(last), { timeout: 5_000, interval: 5 });
  return { raw, outlet, over, asked, response, read, uris, until, text: () => text };
}

test('what changes a thousand times in a breath is named once, and again when it changes after it', async () => {
  const { outlet, response, read, uris, until, text } = await pair();
  read();
  expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-baton-replica': 'r' });
  for (let n = 0; n < 1_000; n++) {
    outlet.enqueue('a');
    outlet.enqueue(RESOURCE_LIST);
  }
  outlet.enqueue('b');
  await until('b');
  outlet.enqueue('a');
  outlet.enqueue('last');
  await until('last');
  expect(uris()).toEqual(['a', 'b', 'a', 'last']);
  expect(text().match(/list_changed/g)).toHaveLength(1);
});

test('what is forgotten in time is not told', async () => {
  const { outlet, read, uris, until } = await pair();
  read();
  outlet.enqueue('first');
  await until('first');
  outlet.enqueue('no more');
  outlet.enqueue('last');
  outlet.dequeue('no more');
  await until('last');
  expect(uris()).toEqual(['first', 'last']);
});

test('a client that does not read holds back names, not messages, and hears of each once when it reads', async () => {
  const { raw, outlet, read, uris, until } = await pair();
  const long = 'x'.repeat(1_000_000);
  for (let n = 0; !raw.writableNeedDrain; n++) {
    outlet.enqueue(`${n}${long}`);
    await new Promise((resolve) => setTimeout(resolve, 105));
  }
  const held = raw.writableLength;
  for (let n = 0; n < 30_000; n++) outlet.enqueue(`name-${n % 3}`);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(raw.writableLength).toBe(held);
  read();
  await until('name-2');
  expect(uris().filter((uri) => uri?.startsWith('name'))).toEqual(['name-0', 'name-1', 'name-2']);
});

test.each(['the client leaves', 'it is ended'])('it says once that it is over when %s', async (way) => {
  const { raw, outlet, over, asked } = await pair();
  const closed = once(raw, 'close');
  if (way === 'it is ended') outlet.close();
  else asked.destroy();
  await closed;
  outlet.close();
  outlet.enqueue('nobody');
  expect(over).toHaveBeenCalledTimes(1);
});

test('the connection of a client that does not read is closed a while after its stream ended, and not before', async () => {
  const { raw, outlet, asked } = await pair();
  asked.on('error', () => {});
  outlet.enqueue('x'.repeat(30_000_000));
  await vi.waitFor(() => expect(raw.writableNeedDrain).toBe(true));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    outlet.close();
    vi.advanceTimersByTime(4_999);
    expect(raw.destroyed).toBe(false);
    const closed = once(raw, 'close');
    vi.advanceTimersByTime(1);
    await closed;
  } finally {
    vi.useRealTimers();
  }
});

test('the connection of a client that reads serves its next request after the stream ended', async () => {
  const { outlet, response } = await pair();
  let closed = false;
  response.socket.on('close', () => (closed = true));
  outlet.enqueue('last');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    vi.advanceTimersByTime(200);
    const ended = once(response.resume(), 'end');
    outlet.close();
    await ended;
    vi.advanceTimersByTime(60_000);
  } finally {
    vi.useRealTimers();
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
});
