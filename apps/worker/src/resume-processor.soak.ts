import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';

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
