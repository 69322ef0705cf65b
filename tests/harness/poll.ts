import { setTimeout as delay } from 'node:timers/promises';

/** Repeats a check until it holds; false when it did not hold within `limitMs`. */
export async function holdsWithin(
  check: () => Promise<boolean>,
  limitMs: number,
  everyMs = 20,
): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; await delay(everyMs)) {
    if (await check()) return true;
  }
  return false;
}

/** Like `holdsWithin`, but throws when time is up; a check that throws does not hold yet. The error names `what`. */
export async function waitUntilOrThrow(
  what: string,
  limitMs: number,
  check: () => Promise<boolean>,
): Promise<void> {
  if (!(await holdsWithin(() => check().catch(() => false), limitMs, 100)))
    throw new Error(`not within ${limitMs} ms: ${what}`);
}
