import { expect, test } from 'vitest';
import { sendCommand } from './send-command.ts';
import { startFakeServer } from '../testing/fake-server.ts';

const ping = (url: string, limitMs = 2000) => sendCommand(url, ['PING'], limitMs);

test('a reply that arrives byte by byte is read whole', async () => {
  const url = await startFakeServer((socket) => {
    socket.setNoDelay(true).once('data', async () => {
      for (const byte of Buffer.from('$4\r\nü\r\n\r\n')) {
        await new Promise<void>((written) => socket.write(Buffer.from([byte]), () => written()));
      }
    });
  });
  expect(await sendCommand(url, ['GET', 'key'], 2000)).toEqual({ type: '$', text: 'ü\r\n' });
});

test('a silent peer is given up after the limit', async () => {
  await expect(ping(await startFakeServer(() => {}), 50)).rejects.toThrow('no answer within 50 ms');
});

test('a peer that hangs up is not waited for', async () => {
  const url = await startFakeServer((socket) => socket.end());
  await expect(ping(url)).rejects.toThrow('the connection was closed before an answer came');
});

test('a web server is not taken for a Redis', async () => {
  const url = await startFakeServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await expect(ping(url)).rejects.toThrow('what answers there is not a Redis');
});

test('a refused password is the reason, not what it led to', async () => {
  const url = await startFakeServer((socket) => socket.write('-WRONGPASS invalid\r\n-NOAUTH required\r\n'));
  expect(await ping(url.replace('//', '//:secret@'))).toEqual({ type: '-', text: 'WRONGPASS invalid' });
});

test('a password that the server does not ask for does no harm', async () => {
  const url = await startFakeServer((socket) =>
    socket.write('-ERR AUTH without any password configured\r\n+PONG\r\n'),
  );
  expect(await ping(url.replace('//', '//:secret@'))).toEqual({ type: '+', text: 'PONG' });
});
