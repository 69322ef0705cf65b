import { expect, test } from 'vitest';
import { startFakeRedis, startFakeServer } from '../testing/fake-server.ts';
import { sendCommand } from './send-command.ts';

const ping = (url: string, limitMs = 2000) => sendCommand(url, ['PING'], limitMs);

test('a silent peer is given up after the limit', async () => {
  await expect(ping(await startFakeServer(() => {}), 50)).rejects.toThrow('no answer within 50 ms');
});

test('a peer that hangs up is not waited for', async () => {
  const url = await startFakeServer((socket) => socket.end());
  await expect(ping(url)).rejects.toThrow(/closed/);
});

test.each(['HTTP/1.1 400 Bad Request\r\n\r\n', '220 smtp ready\r\n'])(
  'what greets with %j is not taken for a Redis',
  async (greeting) => {
    const url = await startFakeServer((socket) => socket.write(greeting));
    await expect(ping(url)).rejects.toThrow('what answers there is not a Redis');
  },
);

test('a refused password is the reason, not what it led to', async () => {
  const url = await startFakeRedis((command) =>
    /auth/i.test(command) ? '-WRONGPASS invalid\r\n' : '-NOAUTH required\r\n',
  );
  await expect(ping(url.replace('//', '//:secret@'))).rejects.toThrow('WRONGPASS invalid');
});
