import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { IServerAdapter } from '@bull-board/api/typings/app';
import { FastifyAdapter } from '@bull-board/fastify';
import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { successAnswer, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { openBullQueue } from './bullmq-queue.ts';

test('Bull Board shows the jobs of a running Baton in each state, and promotes and retries them', async () => {
  const baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  const view = openBullQueue(baton.redisUrl);
  const deadlines = openBullQueue(baton.redisUrl, 'deadlines');
  const board = Fastify();
  const adapter = new FastifyAdapter();
  adapter.setBasePath('/queues');
  createBullBoard({
    queues: [new BullMQAdapter(view.queue), new BullMQAdapter(deadlines.queue)],
    // Its types leave out `undefined` where its fields may be.
    serverAdapter: adapter as unknown as IServerAdapter,
  });
  await board.register(adapter.registerPlugin(), { prefix: '/queues' });
  const shown = async (status: string) => {
    const url = `/queues/api/queues?activeQueue=resume&status=${status}&page=1`;
    const { queues } = (await board.inject({ url })).json();
    const { counts, jobs, isPaused } = queues.find(({ name }: { name: string }) => name === 'resume');
    return { count: counts[status], jobs, isPaused, names: queues.map(({ name }: { name: string }) => name) };
  };
  const client = await connectMcpClient(baton.url(), baton.apiKey);
  const answer = (interactionId: string, data: unknown) =>
    callTool(client, 'agent_llm', { interactionId, agentLLMResponse: successAnswer(data), waitMs: 0 });

  // Waiting.
  await view.queue.pause();
  const { taskId, interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
  await answer(interactionId, { value: 'v' });
  await expect.poll(async () => (await shown('waiting')).count).toBe(1);
  expect(await shown('waiting')).toMatchObject({
    isPaused: true,
    names: ['resume', 'deadlines'],
    jobs: [{ name: 'resume', data: { tenant: 'acme', tasks: [taskId] } }],
  });
  await view.queue.resume();
  await expect.poll(async () => (await callTool(client, 'task_status', { taskId })).status).toBe('completed');

  // Active: an answer that takes long to check, beside others.
  const schema = {
    type: 'object',
    properties: { a: { allOf: Array.from({ length: 8 }, () => ({ type: 'array', uniqueItems: true })) } },
  };
  const requestParameters = { messages: [{ role: 'user', content: 'Say a.' }], schema };
  const slow = await Promise.all(
    Array.from({ length: 4 }, () =>
      // On a busy machine a tenant's time for checks is used up by four at once, and the call is to be repeated.
      vi.waitFor(
        () =>
          callTool(client, 'agent_llm', {
            delegatedCallDetails: {
              originalCommand: 'slow',
              serviceType: 'generateObject',
              requestParameters,
            },
          }),
        { timeout: 20_000, interval: 1_000 },
      ),
    ),
  );
  const numbers = Array.from({ length: 3_500 }, (_, n) => [n]);
  await Promise.all(slow.map((one) => answer(one.interactionId, { a: numbers })));
  await expect.poll(async () => (await shown('active')).count, { timeout: 10_000 }).toBeGreaterThan(0);
  const told = async () =>
    (await shown('active')).jobs.flatMap(({ data }: { data: { tasks: string[] } }) => data.tasks).sort();
  const working = slow.map((one) => String(one.taskId)).sort();
  await expect.poll(told, { timeout: 10_000 }).toEqual(working);

  // Delayed, then failed, then retried by the dashboard's own route.
  const prd = { prd: 'A shop.', numTasks: 1, projectRoot: 'wrong' };
  const parked = await callTool(client, 'parse_prd', prd);
  await view.redis.set('baton:{s0}:t:acme:project:wrong', 'not a project');
  await answer(parked.interactionId, { object: { tasks: [{ id: 1, title: 'One', description: 'Only.' }] } });
  // On a slow machine a job of the long checks may be delayed too.
  const ofParked = ({ data }: { data: { tasks: string[] } }) => data.tasks.includes(parked.taskId);
  const delayedJob = async () => (await shown('delayed')).jobs.find(ofParked);
  await expect.poll(delayedJob).toBeDefined();
  const delayed = await delayedJob();
  const failedJob = async () => (await shown('failed')).jobs.find(ofParked);
  const promoted = async () => {
    await board.inject({ method: 'PUT', url: `/queues/api/queues/resume/${delayed.id}/promote` });
    return failedJob();
  };
  await expect.poll(promoted).toBeDefined();
  expect(await failedJob()).toMatchObject({ failedReason: `task ${parked.taskId}: internal` });
  const retried = await board.inject({
    method: 'PUT',
    url: `/queues/api/queues/resume/${delayed.id}/retry`,
  });
  expect(retried.statusCode).toBeLessThan(300);
  await expect.poll(failedJob).toBeUndefined();

  await board.close();
  await view.close();
  await deadlines.close();
  await baton.stop();
}, 120_000);
