import { defineConfig } from 'vitest/config';

/**
 * What takes long, how much memory is held, what a busy processor does: one file at a time, and no part of the gate.
 */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    testTimeout: 300_000,
    hookTimeout: 180_000,
    pool: 'forks',
    fileParallelism: false,
    setupFiles: ['tests/harness/guards/check-after-each-test.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'soak',
          include: ['apps/*/src/**/*.soak.ts', 'packages/*/src/**/*.soak.ts', 'tests/**/*.soak.ts'],
          globalSetup: ['tests/harness/build-dist-setup.ts'],
        },
      },
    ],
  },
});
