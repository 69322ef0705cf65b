import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { sseMessage } from '../edge/streams/sse.ts';
import { RESOURCE_LIST, NotificationWriter } from './notification-writer.ts';

const encode = (notification: object) => sseMessage(JSON.stringify(notification));

const inTurn = async (write: () => number | Promise<number>) => void (await write());

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const end of cleanups.splice(0)) end();
});

/** A writer and its client, onClose a real connection. */
async function pair() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [, raw] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const onClose = vi.fn<() => void>();
  const writer = new NotificationWriter(raw, { 'x-baton-replica': 'r' }, { encode }, inTurn, onClose);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  cleanups.push(() => {
    asked.destroy();
    server.close();
    server.closeAllConnections();
  });
  let text = '';
  const read = () => response.on('data', (chunk) => (text += String(chunk)));
  const uris = () => [...text.matchAll(/"uri":"([^"]*)"/g)].map(([, uri]) => uri);
  const until = (last: string) =>
    vi.waitFor(() => expect(uris()).toContain(last), { timeout: 5_000, interval: 5 });
  return { raw, writer, onClose, asked, response, read, uris, until, text: () => text };
}

test('what changes a thousand times between two flushes is named once, and again when it changes later', async () => {
  const { writer, response, read, uris, until, text } = await pair();
  read();
  expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-baton-replica': 'r' });
  for (let n = 0; n < 1_000; n++) {
    writer.enqueue('a');
    writer.enqueue(RESOURCE_LIST);
  }
  writer.enqueue('b');
  await until('b');
  writer.enqueue('a');
  writer.enqueue('last');
  await until('last');
  expect(uris()).toEqual(['a', 'b', 'a', 'last']);
  expect(text().match(/list_changed/g)).toHaveLength(1);
});

test('what is dequeued before the flush is never written', async () => {
  const { writer, read, uris, until } = await pair();
  read();
  writer.enqueue('first');
  await until('first');
  writer.enqueue('no more');
  writer.enqueue('last');
  writer.dequeue('no more');
  await until('last');
  expect(uris()).toEqual(['first', 'last']);
});

test('for a client that does not read only names are held, and each is written once when it reads', async () => {
  const { raw, writer, read, uris, until } = await pair();
  const long = 'x'.repeat(1_000_000);
  for (let n = 0; !raw.writableNeedDrain; n++) {
    writer.enqueue(`${n}${long}`);
    const flushed = vi.spyOn(raw, 'write');
    await vi.waitFor(() => expect(flushed).toHaveBeenCalled(), { timeout: 5_000, interval: 5 });
    flushed.mockRestore();
  }
  const held = raw.writableLength;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (let n = 0; n < 30_000; n++) writer.enqueue(`name-${n % 3}`);
  vi.advanceTimersByTime(1_000);
  vi.useRealTimers();
  expect(raw.writableLength).toBe(held);
  read();
  await until('name-2');
  expect(uris().filter((uri) => uri?.startsWith('name'))).toEqual(['name-0', 'name-1', 'name-2']);
});

test.each(['the client leaves', 'it is ended'])('onClose is called once when %s', async (way) => {
  const { raw, writer, onClose, asked } = await pair();
  const closed = once(raw, 'close');
  if (way === 'it is ended') writer.close();
  else asked.destroy();
  await closed;
  writer.close();
  writer.enqueue('nobody');
  expect(onClose).toHaveBeenCalledTimes(1);
});

test('the connection of a client that does not read is closed a while after its stream ended, and not before', async () => {
  const { raw, writer, asked } = await pair();
  asked.on('error', () => {});
  writer.enqueue('x'.repeat(30_000_000));
  await vi.waitFor(() => expect(raw.writableNeedDrain).toBe(true));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    writer.close();
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
  const { writer, response } = await pair();
  let closed = false;
  response.socket.on('close', () => (closed = true));
  writer.enqueue('last');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    vi.advanceTimersByTime(200);
    const ended = once(response.resume(), 'end');
    writer.close();
    await ended;
    vi.advanceTimersByTime(60_000);
  } finally {
    vi.useRealTimers();
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
});
