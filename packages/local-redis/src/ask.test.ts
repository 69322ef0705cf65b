import { expect, test } from 'vitest';
import { ask } from './ask.ts';
import { fakePeer } from './fake-peer.ts';

const ping = (url: string, limitMs = 2000) => ask(url, ['PING'], limitMs);

test('a reply that arrives byte by byte is read whole', async () => {
  const url = await fakePeer((socket) => {
    socket.setNoDelay(true).once('data', async () => {
      for (const byte of Buffer.from('$4\r\nü\r\n\r\n')) {
        await new Promise<void>((written) => socket.write(Buffer.from([byte]), () => written()));
      }
    });
  });
  expect(await ask(url, ['GET', 'key'], 2000)).toEqual({ mark: '$', text: 'ü\r\n' });
});

test('a silent peer is given up after the limit', async () => {
  await expect(ping(await fakePeer(() => {}), 50)).rejects.toThrow('no answer within 50 ms');
});

test('a peer that hangs up is not waited for', async () => {
  const url = await fakePeer((socket) => socket.end());
  await expect(ping(url)).rejects.toThrow('the connection was closed before an answer came');
});

test('a web server is not taken for a Redis', async () => {
  const url = await fakePeer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await expect(ping(url)).rejects.toThrow('what answers there is not a Redis');
});

test('a refused password is the reason, not what it led to', async () => {
  const url = await fakePeer((socket) => socket.write('-WRONGPASS invalid\r\n-NOAUTH required\r\n'));
  expect(await ping(url.replace('//', '//:secret@'))).toEqual({ mark: '-', text: 'WRONGPASS invalid' });
});

test('a password that the server does not ask for does no harm', async () => {
  const url = await fakePeer((socket) =>
    socket.write('-ERR AUTH without any password configured\r\n+PONG\r\n'),
  );
  expect(await ping(url.replace('//', '//:secret@'))).toEqual({ mark: '+', text: 'PONG' });
});
