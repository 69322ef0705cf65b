import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { createResumeAtOnce, createResumeProcessor } from './resume-processor.ts';

/**
 * A million jobs on a heap of 32 MiB, of which a worker of this kind leaves nothing behind: 100 bytes each would be three
 * times as much. The shard is a peer that has nothing to give, so that it is the worker's own memory that is seen.
 */
const SCRIPT = `
import { createResumeProcessor } from './resume-processor.ts';
const shard = { dequeue: async () => ({ kind: 'taken', segments: [], notLoaded: [] }) };
let ran = 0;
const resuming = { programs: { names: [] }, check: {}, log: { warn() {} }, onBatch: () => ran++ };
const run = createResumeProcessor(shard, resuming);
const job = { data: { tenant: 'acme', list: 'ready', number: 1, tasks: [] } };
for (let n = 0; n < 1_000_000; n++) await run(job, false, 'token');
globalThis.gc();
console.log(JSON.stringify({ ran, heap: process.memoryUsage().heapUsed }));
`;

test('a million jobs leave nothing on the heap of a worker', { timeout: 120_000 }, () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const { outputFiles } = buildSync({
    stdin: { contents: SCRIPT, resolveDir: folder, loader: 'js' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['bullmq', 'ioredis', 'zod', 'ajv', 'pino', 'piscina', 'prom-client'],
  });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=32', '--input-type=module', '-'],
    // What is bundled finds the Lua scripts beside where it runs.
    {
      encoding: 'utf8',
      cwd: join(folder, '../../../packages/store/src/scripts'),
      input: outputFiles[0]?.text ?? '',
    },
  );
  expect(stderr.slice(-500)).toBe('');
  const { ran, heap } = JSON.parse(stdout) as { ran: number; heap: number };
  expect(ran).toBe(1_000_000);
  expect(heap).toBeLessThan(32 * 1024 * 1024);
});

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
