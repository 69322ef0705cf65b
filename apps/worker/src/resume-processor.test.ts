import { expect, test } from 'vitest';
import { createResumeAtOnce, createResumeProcessor } from './resume-processor.ts';

test('a Redis that goes while a batch is loaded fails the job, and never the process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const gone = new Error('Redis is gone');
  const segment = { taskId: 't', tenant: 'acme', job: 1, task: { tries: 1 } };
  const broken = {
    ...segment,
    task: { ...segment.task, operation: 'none', version: 1 },
    holdForProgram: () => Promise.reject(gone),
    release: () => Promise.reject(gone),
  };
  const shard = {
    dequeue: async () => ({ kind: 'taken', segments: [broken], notLoaded: ['other'] }),
    load: () => new Promise((_resolve, reject) => setTimeout(() => reject(gone), 20)),
  };
  const resuming = {
    programs: { names: [], find: () => undefined },
    check: {},
    log: { warn() {} },
    onBatch() {},
  };
  const run = createResumeProcessor(shard as never, resuming as never);
  const data = { tenant: 'acme', list: 'ready', number: 1, tasks: [] };
  const job = { data, updateData: async () => {} };
  await expect(run(job as never, false, 'token')).rejects.toThrow('Redis is gone');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test('a job that is run at once is added to BullMQ where something is left of it, or too many run', async () => {
  const added: number[] = [];
  let end = () => {};
  const behaviours: Record<number, () => Promise<unknown>> = {
    1: async () => ({ kind: 'taken', segments: [], notLoaded: [] }),
    2: async () => ({ kind: 'no_program' }),
    3: async () => ({ kind: 'retried', notLoaded: ['t'] }),
    4: () => Promise.reject(new Error('Redis is gone')),
    5: () => new Promise((resolve) => (end = () => resolve({ kind: 'taken', segments: [], notLoaded: [] }))),
  };
  const shard = {
    dequeue: ({ number }: { number: number }) => behaviours[number]?.(),
    enqueueResume: ({ number }: { number: number }) => void added.push(number),
  };
  const resuming = { programs: { names: [] }, check: {}, log: { warn() {} }, onBatch() {} };
  const resume = createResumeAtOnce(shard as never, resuming as never, 1);
  const job = (number: number) => ({ tenant: 'acme', list: 'ready' as const, number, tasks: [] });
  for (const number of [1, 2, 3, 4]) await resume(job(number));
  expect(added).toEqual([2, 3, 4]);
  const fifth = resume(job(5));
  await resume(job(1));
  expect(added, 'while another runs').toEqual([2, 3, 4, 1]);
  end();
  await fifth;
  expect(added).toEqual([2, 3, 4, 1]);
});
