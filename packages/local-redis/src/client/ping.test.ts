import { expect, test } from 'vitest';
import { startFakeRedis } from '../testing/fake-server.ts';
import { isAnswering, waitForPong } from './ping.ts';

test('a server that is loading its data is waited for beyond the limit, since it answers', async () => {
  const url = await startFakeRedis((_, connection) =>
    connection < 40 ? '-LOADING Redis is loading the dataset in memory\r\n' : '+PONG\r\n',
  );
  await expect(waitForPong(url, { limitMs: 500, keepTrying: false })).resolves.toBeUndefined();
});

test('a server that refuses us is not asked again', async () => {
  let asked = 0;
  const url = await startFakeRedis(() => {
    asked += 1;
    return '-NOAUTH Authentication required.\r\n';
  });
  await expect(waitForPong(url, { limitMs: 5000, keepTrying: true })).rejects.toThrow('NOAUTH');
  expect(asked).toBe(1);
});

test('a server that is not there yet is tried until the limit, and the last reason is in the error', async () => {
  const attempt = waitForPong('unix:///nowhere/redis.sock', { limitMs: 60, keepTrying: true });
  await expect(attempt).rejects.toThrow(/did not answer PING within 60 ms \(.*ENOENT/);
});

test('a loading server counts as one that answers, a refusing one does not', async () => {
  expect(await isAnswering(await startFakeRedis(() => '-LOADING\r\n'))).toBe(true);
  expect(await isAnswering(await startFakeRedis(() => '-NOAUTH\r\n'))).toBe(false);
});
