import { defineConfig } from 'vitest/config';

/** Tests stand beside the code they test; what crosses a process stands under tests/. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['apps/*/src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 180_000,
    pool: 'forks',
    globalSetup: ['tests/harness/build-dist-setup.ts'],
  },
});
