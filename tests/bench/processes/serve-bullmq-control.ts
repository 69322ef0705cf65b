import { randomUUID } from 'node:crypto';
import { Queue, QueueEvents, Worker } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { sendToParent } from './parent-process.ts';

/**
 * The control: a minimal delegation service on BullMQ, without MCP, tenants and authentication. One route parks with SET EX,
 * another adds a job and waits for it through QueueEvents; the worker runs `atOnce` jobs at once.
 */
const [role = '', redisUrl = '', atOnce = '1'] = process.argv.slice(2);
const connect = () => new Redis(redisUrl.replace('unix://', ''), { maxRetriesPerRequest: null });
const redis = connect();
const opts = { removeOnComplete: { age: 60 }, removeOnFail: 100 };

if (role === 'worker') {
  const worker = new Worker(
    'resume',
    async (job) => {
      const { id, answer } = job.data as { id: string; answer: { value: string } };
      const parked = await redis.get(`parked:${id}`);
      if (parked === null) throw new Error('expired');
      if (typeof answer.value !== 'string') throw new Error('invalid');
      await redis.del(`parked:${id}`);
      return { value: answer.value };
    },
    { connection: connect(), concurrency: Number(atOnce) },
  );
  await worker.waitUntilReady();
  sendToParent({ ready: true });
} else {
  const queue = new Queue('resume', { connection: redis });
  // Each wait adds a listener to the queue, and Node would warn of more than ten.
  queue.setMaxListeners(0);
  const events = new QueueEvents('resume', { connection: connect() });
  await events.waitUntilReady();
  const app = Fastify();
  app.post('/park', async (request) => {
    const id = randomUUID();
    await redis.set(`parked:${id}`, JSON.stringify(request.body), 'EX', 3600);
    return { id, request: request.body };
  });
  app.post('/answer', async (request) => {
    const { id, answer } = request.body as { id: string; answer: object };
    const job = await queue.add('resume', { id, answer }, opts);
    return (await job.waitUntilFinished(events, 25_000)) as object;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  sendToParent({
    ready: true,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    keys: [''],
  });
}
