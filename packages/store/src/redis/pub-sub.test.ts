import { startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ioredisUrl } from '../testing/store-fixture.ts';
import { PubSub } from './pub-sub.ts';
import { connectSubscriber } from './redis-client.ts';

let server: Awaited<ReturnType<typeof startPrivateRedis>>;
let redis: Redis;
beforeAll(async () => {
  server = await startPrivateRedis();
  redis = new Redis(ioredisUrl(server.url));
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

const receiver = (received: string[] = []) => ({
  onMessage: (message: string) => void received.push(message),
  onReconnect: () => void received.push('reconnected'),
});

test('a channel is subscribed to again by one command after a lost connection, and receives', async () => {
  const pubSub = new PubSub(() => connectSubscriber(server.url), 5_000);
  const received: string[] = [];
  await pubSub.subscribe('news', receiver(received));
  await redis.config('RESETSTAT');
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await expect.poll(() => received).toEqual(['reconnected']);
  await redis.publish('news', 'a message');
  await expect.poll(() => received).toEqual(['reconnected', 'a message']);
  expect(await redis.info('commandstats')).toContain('cmdstat_subscribe:calls=1,');
  pubSub.close();
});

test('a close while it subscribes again rejects nothing that nobody awaits, which would end the process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const client = connectSubscriber(server.url);
  const pubSub = new PubSub(() => client, 5_000);
  await pubSub.subscribe('news', receiver());
  const ready = once(client, 'ready');
  const ended = once(client, 'end');
  client.once('ready', () => {
    pubSub.close();
    // Before Redis replies.
    client.stream.destroy();
  });
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await Promise.all([ready, ended]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
