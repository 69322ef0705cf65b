import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { Testbed } from '../../faults/testbed/testbed.ts';
import { connectMcpClient } from '../../harness/mcp-client.ts';
import { type Patch, PatchedRelease } from '../../processes/patched-release.ts';
import { runAtOnce } from './concurrent-run.ts';
import type { ConcurrentStep } from './concurrent-steps.ts';

/** The check of concurrent-property.test.ts reports a release that loses commits, and one that commits twice. */
const BUILT = fileURLToPath(new URL('../../../dist', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const MOST_RUNS = 10;

const steps: readonly ConcurrentStep[] = [
  'expand_all',
  'expand_task',
  'append',
  'add_task',
  'add_task',
  'parse_prd',
]
  .flatMap((kind) => [kind, kind])
  .map((kind, n) => ({
    kind,
    task: 1 + (n % 5),
    other: 1,
    replica: n % 2,
    startsTwice: false,
    answersTwice: n % 3 === 0,
    wrongFirst: false,
  }));

/** The first failure of the check, of so many runs, on the built release with these patches. */
async function firstFailure(patches: readonly Patch[], most: number): Promise<string | undefined> {
  const release = await PatchedRelease.create(BUILT, NODE_MODULES, patches);
  const testbed = await Testbed.start(release.entry);
  const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
  try {
    const gateways = await Promise.all([testbed.startProcess('gateway'), testbed.startProcess('gateway')]);
    await Promise.all([testbed.startProcess('worker'), testbed.startProcess('worker')]);
    const urls = gateways.map(({ url }) => url);
    const apiKey = await testbed.createTenant(urls[0]!, 'acme');
    const clients = await Promise.all(urls.map((url) => connectMcpClient(url, apiKey)));
    const target = { clients, urls, apiKey, redis, redisUrl: testbed.redisUrl };
    for (let run = 1; run <= most; run++) {
      const failure = await runAtOnce(target, steps, `mutation-${run}`).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (failure !== undefined) return failure;
    }
    return undefined;
  } finally {
    redis.disconnect();
    await testbed.stop();
    await release.remove();
  }
}

const COMMIT = 'lua/project/commit.lua';
/** Each second commit of a task lands, and says that it did not: so does one whose reply is lost. */
const REPLIES_LOST: Patch = {
  file: COMMIT,
  from: "return {'committed', version}\n",
  to: "return {A_fence ~= '' and version % 2 == 0 and 'conflict' or 'committed', version}\n",
};

test('a release whose commits are repeated passes', { timeout: 240_000 }, async () => {
  expect(await firstFailure([REPLIES_LOST], 2)).toBeUndefined();
});

test.each<[string, readonly Patch[]]>([
  [
    'a process that is told of no change since it read the project',
    [
      {
        file: 'lua/project/read_project.lua',
        from: 'local changed = fields_changed()',
        to: "local changed = A_since ~= '' and {} or nil",
      },
    ],
  ],
  [
    'a commit on a project that has changed since it was read',
    [{ file: COMMIT, from: 'if version ~= A_version then', to: 'if false then' }],
  ],
  [
    'a commit that is repeated without a look at its journal',
    [REPLIES_LOST, { file: COMMIT, from: "if journaled then return {'journaled', journaled} end", to: '' }],
  ],
])('%s is reported', { timeout: 240_000 }, async (_what, patches) => {
  const failure = await firstFailure(patches, MOST_RUNS);
  expect(failure, 'no run of the check reports it').toBeDefined();
  console.log(failure?.split('\n')[0]);
});
