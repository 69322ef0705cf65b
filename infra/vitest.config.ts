import { defineConfig } from 'vitest/config';

/**
 * Tests stand beside the code they test; what crosses a process stands under tests/.
 */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    // For a machine whose other core is busy: a test that waits for what never comes ends here.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Tests wait for processes and sockets: two cores are busy with three files at once.
    maxWorkers: 3,
    setupFiles: ['tests/harness/guards/check-after-each-test.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['apps/*/src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
          globalSetup: ['tests/harness/build-dist-setup.ts'],
        },
      },
    ],
  },
});
