import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { sendToParent } from './parent-process.ts';

/** The baseline: two routes with one Lua call each, and the resume in the same process. */
const [, redisUrl = ''] = process.argv.slice(2);
const redis = new Redis(redisUrl.replace('unix://', ''));
redis.defineCommand('park', {
  numberOfKeys: 1,
  lua: "return redis.call('SET', KEYS[1], ARGV[1], 'EX', 3600)",
});
redis.defineCommand('take', {
  numberOfKeys: 1,
  lua: "local parked = redis.call('GET', KEYS[1]) redis.call('DEL', KEYS[1]) return parked",
});
const scripts = redis as unknown as {
  park(key: string, value: string): Promise<unknown>;
  take(key: string): Promise<string | null>;
};
const app = Fastify();
app.post('/park', async (request) => {
  const id = randomUUID();
  await scripts.park(`parked:${id}`, JSON.stringify(request.body));
  return { id, request: request.body };
});
app.post('/answer', async (request) => {
  const { id, answer } = request.body as { id: string; answer: { value: string } };
  if ((await scripts.take(`parked:${id}`)) === null) throw new Error('expired');
  return { value: answer.value };
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
sendToParent({
  ready: true,
  url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
  keys: [''],
});
