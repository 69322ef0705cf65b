/** For tests: a directory of their own. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new directory, 0700, that is removed after the test, and after what the test stops at its end. */
export async function createTemporaryDir(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'local-redis-test-')));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
