import { defineConfig } from 'vitest/config';

/** What a client does over /mcp, without tests that count costs or start processes of their own. */
const CLIENT_SCENARIOS = [
  'tests/scenarios/operations/!(expand-all-cost|concurrent-mutations).test.ts',
  'tests/scenarios/{claims,concurrent-append,exact-text,interaction-expiry,large-body}.test.ts',
  'tests/scenarios/{real-documents,request-limits,tools-at-limits,transports}.test.ts',
];

/**
 * What takes long, how much memory is held, what a busy processor does: one file at a time, and no part of the gate. Then what
 * clients do, with every request through the SDK's transport.
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
      {
        extends: true,
        test: { name: "SDK's transport", include: CLIENT_SCENARIOS, env: { TEST_TRANSPORT: 'sdk' } },
      },
    ],
  },
});
