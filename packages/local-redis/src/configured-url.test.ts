import { expect, test } from 'vitest';
import { sendCommand } from './client/send-command.ts';
import { isAnswering } from './client/ping.ts';
import { startFakeServer } from './testing/fake-server.ts';
import { findOrStartRedis } from './find-or-start-redis.ts';
import type { RedisSource } from './sources/redis-source.ts';
import { RedisNotFound } from './sources/redis-not-found.ts';
import { startPrivateRedis } from './start-private-redis.ts';
import { createTemporaryDir } from './testing/temporary-dir.ts';

const neverAsked: RedisSource = {
  provides: 'server',
  name: 'the next source',
  find: () => {
    throw new Error('REDIS_URL was replaced');
  },
};

async function findGiven(url: string) {
  return findOrStartRedis({
    dataDir: await createTemporaryDir(),
    env: { REDIS_URL: url },
    sources: [neverAsked],
  });
}

async function failureOf(url: string): Promise<RedisNotFound> {
  const error: unknown = await findGiven(url).catch((thrown: unknown) => thrown);
  if (!(error instanceof RedisNotFound)) throw error;
  return error;
}

test('REDIS_URL is used as it is, and its server is not stopped', { timeout: 120_000 }, async () => {
  const server = await startPrivateRedis({ listen: 'tcp' });
  try {
    // A password that the server does not ask for does no harm.
    const url = server.url.replace('//', '//:secret@');
    expect(await isAnswering(url)).toBe(true);
    await sendCommand(server.url, ['CONFIG', 'SET', 'requirepass', 'secret'], 2000);
    const found = await findGiven(url);
    expect(found).toMatchObject({ url, source: 'url' });
    await found.stop();
    expect(await isAnswering(url)).toBe(true);
    expect((await failureOf(server.url)).message).toContain('NOAUTH');
    expect((await failureOf(server.url.replace('//', '//:wrong@'))).message).toContain('WRONGPASS');
  } finally {
    await server.stop();
  }
});

test('a REDIS_URL that does not answer is never replaced; the message names it and the reason', async () => {
  const { exitCode, message } = await failureOf('redis://me:hunter2@127.0.0.1:1/0');
  expect(exitCode).toBe(78);
  expect(message).toContain('REDIS_URL is redis://me:***@127.0.0.1:1/0');
  expect(message).toContain('ECONNREFUSED');
  expect(message).not.toContain('hunter2');
});

test.each([
  ['something that is not a Redis', (url: string) => url, 'what answers there is not a Redis'],
  [
    'another scheme',
    (url: string) => url.replace('redis:', 'http:'),
    'it must be redis://, rediss:// or unix://',
  ],
])('a REDIS_URL of %s is refused', async (_, change, reason) => {
  const url = await startFakeServer((socket) => socket.end('220 smtp ready\r\n'));
  expect((await failureOf(change(url))).message).toContain(reason);
});

test('an empty REDIS_URL counts as none', async () => {
  await expect(findGiven('')).rejects.toThrow('REDIS_URL was replaced');
});
