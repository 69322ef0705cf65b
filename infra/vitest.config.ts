import { defineConfig } from 'vitest/config';

/** What a client does over /mcp, without tests that count costs or start processes of their own: run by both. */
const CLIENT_SCENARIOS = [
  'tests/scenarios/operations/!(expand-all-cost|concurrent-mutations).test.ts',
  'tests/scenarios/{claims,concurrent-append,exact-text,interaction-expiry,large-body}.test.ts',
  'tests/scenarios/{real-documents,request-limits,tools-at-limits,transports}.test.ts',
];

/**
 * Tests stand beside the code they test; what crosses a process stands under tests/. All of them run, plain requests by the
 * gateway's fast path; then those of clients again, with every request through the SDK's transport.
 */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    testTimeout: 30_000,
    hookTimeout: 180_000,
    pool: 'forks',
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
        test: { name: "SDK's transport", include: CLIENT_SCENARIOS, env: { TEST_TRANSPORT: 'sdk' } },
      },
    ],
  },
});
