import { configDefaults, defineConfig } from 'vitest/config';

/** A file that replaces modules: in a process of its own, since other files would find them replaced too. */
const MOCKED = '**/*.mocked.test.ts';

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
          exclude: [...configDefaults.exclude, MOCKED],
          // Files share their process, which loads the modules once.
          isolate: false,
          globalSetup: ['tests/harness/build-dist-setup.ts'],
        },
      },
      { extends: true, test: { name: 'mocked', include: [MOCKED] } },
    ],
  },
});
