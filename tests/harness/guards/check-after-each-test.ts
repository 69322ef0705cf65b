import { afterEach, beforeEach } from 'vitest';
import { findUnsentCitations } from './citations.ts';
import { commandWatchers, testGuards } from './test-guards.ts';
import { countWireRequests } from './wire-requests.ts';

/** Vitest's set-up of every test file: a test fails by what the guards find after it, whatever it is about. */
let before = 0;
beforeEach(() => {
  before = countWireRequests();
});

afterEach(async ({ task }) => {
  const violations = findUnsentCitations(task.name, countWireRequests() - before);
  for (const found of await Promise.all([...testGuards].map((guard) => guard()))) violations.push(...found);
  await Promise.all([...commandWatchers].map((caughtUp) => caughtUp()));
  if (violations.length > 0) throw new Error(`After this test:\n${violations.slice(0, 20).join('\n')}`);
});
