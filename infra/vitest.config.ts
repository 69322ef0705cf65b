import { defineConfig } from 'vitest/config';

/** What depends on the way of a request through the gateway: its body, its limits, its reply. All others run so in the soak. */
const TRANSPORT_SCENARIOS = 'tests/scenarios/{exact-text,large-body,request-limits,transports}.test.ts';

/**
 * Tests stand beside the code they test; what crosses a process stands under tests/. All of them run, plain requests by the
 * gateway's fast path; then some of those of clients again, with every request through the SDK's transport.
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
      {
        extends: true,
        test: {
          name: "SDK's transport",
          include: [TRANSPORT_SCENARIOS],
          env: { TEST_TRANSPORT: 'sdk' },
        },
      },
    ],
  },
});
