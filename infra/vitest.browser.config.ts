import { defineConfig } from 'vitest/config';

/** `npm run e2e:browser`: needs a Chromium, which the script sees to. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['tests/browser/**/*.browser.ts'],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    pool: 'forks',
  },
});
