import { startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { MonitorConnection } from './monitor-connection.ts';

async function requirePassword(url: string, password: string): Promise<void> {
  const client = new Redis(url);
  await client.config('SET', 'requirepass', password);
  client.disconnect();
}

test('a monitor that begins while commands come in tells of every later one, once and in order', async () => {
  const server = await startPrivateRedis({ listen: 'tcp' });
  await requirePassword(server.url, 'p@ss');
  const url = server.url.replace('redis://', 'redis://default:p%40ss@');
  const client = new Redis(url);
  let busy = true;
  const traffic = (async () => {
    while (busy) await Promise.all(Array.from({ length: 50 }, () => client.get('noise')));
  })();
  for (let n = 0; n < 20; n++) {
    const heard: string[] = [];
    const monitor = await MonitorConnection.open(url, (command) => {
      if (command.includes('INCRBY') || command.includes('incrby')) heard.push(command.toLowerCase());
    });
    for (let by = 0; by < 5; by++) await client.incrby('a key', by);
    await monitor.caughtUp();
    expect(heard).toEqual([0, 1, 2, 3, 4].map((by) => `"incrby" "a key" "${by}"`));
    monitor.close();
  }
  busy = false;
  await traffic;
  client.disconnect();
  await server.stop();
});

test('what scripts run is told apart from what clients send', async () => {
  const server = await startPrivateRedis();
  const client = new Redis(server.url.replace('unix://', ''));
  const heard: [string, boolean][] = [];
  const monitor = await MonitorConnection.open(server.url, (command, byScript) =>
    heard.push([command, byScript]),
  );
  await client.eval("return redis.call('SET', KEYS[1], 'é\\n')", 1, 'k');
  await monitor.caughtUp();
  expect(heard.at(-1)).toEqual(['"SET" "k" "\\xc3\\xa9\\n"', true]);
  expect(heard.at(-2)?.[1]).toBe(false);
  monitor.close();
  client.disconnect();
  await server.stop();
});

test('a password that is refused is an error', async () => {
  const server = await startPrivateRedis({ listen: 'tcp' });
  await requirePassword(server.url, 'right');
  const url = server.url.replace('redis://', 'redis://:wrong@');
  await expect(MonitorConnection.open(url, () => {})).rejects.toThrow('WRONGPASS');
  await server.stop();
});
