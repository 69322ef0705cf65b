import { expect, test } from 'vitest';
import { createResumeProcessor } from './resume-processor.ts';

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
