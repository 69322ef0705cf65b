/**
 * What is held after each test of a file, whatever the test is about: each guard gives the violations that it has found, a line each.
 * A deployment adds its guards while it runs; `check-after-each-test.ts` asks them.
 */
export const testGuards = new Set<() => Promise<string[]>>();

/** Waited for when the guards have looked, so that what watches commands does not take theirs for those of the next test. */
export const commandWatchers = new Set<() => Promise<void>>();
