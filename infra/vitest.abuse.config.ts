import { defineConfig } from 'vitest/config';

/** `npm run abuse`: one file after another, since each measures how long its processes' loops are held up; a short run measures nothing. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['tests/abuse/**/*.abuse.ts'],
    testTimeout: 300_000,
    hookTimeout: 180_000,
    pool: 'forks',
    fileParallelism: process.env['ABUSE_SHORT'] === 'true',
    maxWorkers: 2,
  },
});
