import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACCEPT_ANSWER, CANCEL, DEQUEUE, EXPIRE, PARK, REQUEUE_LOST_JOBS } from '../scripts/registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { arbitraryStep, RandomTaskRun } from '../testing/random-task-steps.ts';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import type { AnyScript } from '../testing/all-scripts.ts';
import type { Mutation } from '../testing/script-mutation.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

/** Any operations, in any order, by any holder, in time or late: after each, what Redis holds is what it should be. */
const claim = fc.asyncProperty(
  fc.array(arbitraryStep, { minLength: 25, maxLength: 60, size: 'max' }),
  async (steps) => {
    await redis.flushall();
    const run = new RandomTaskRun(fixture, await fixture.createTenant());
    for (const [at, step] of steps.entries()) {
      const { answered, expected } = await run.play(step);
      const where = `step ${at}, ${JSON.stringify(step)}`;
      if (answered !== expected && JSON.stringify(answered) !== JSON.stringify(expected)) {
        throw new Error(`${where} answered ${JSON.stringify(answered)}, not ${JSON.stringify(expected)}`);
      }
      const wrongs = await run.tasks.findDifferences();
      if (wrongs.length > 0) throw new Error(`after ${where}: ${wrongs.join('; ')}`);
    }
  },
);

test('whatever happens in whatever order, no answer is lost or taken twice, and no index says what is not so', {
  timeout: 90_000,
}, async () => {
  await fc.assert(claim, {
    seed: randomSeed,
    numRuns: 200,
    interruptAfterTimeLimit: 60_000,
    markInterruptAsFailure: true,
  });
  const happened = [
    [PARK, 'stale'],
    [PARK, 'again'],
    [ACCEPT_ANSWER, 'replayed'],
    [ACCEPT_ANSWER, 'interaction_already_answered'],
    [ACCEPT_ANSWER, 'interaction_expired'],
    [EXPIRE, 'due'],
    [EXPIRE, 'ended'],
    [CANCEL, 'cancelled'],
  ] as const;
  for (const [script, code] of happened) {
    const times = recorder.replies(script).filter((reply) => reply[0] === code).length;
    // The rarest comes some 28 times: a seed that brings it 5 times or less will not be met.
    expect(times, `${script.name} must say ${code} for the claim to mean anything`).toBeGreaterThan(5);
  }
});

/** Rules of the scripts, each broken: what the claim must notice. */
const MUTANTS: [rule: string, wrong: RegExp, script: AnyScript, cuts: Mutation[]][] = [
  [
    'an unseen event makes PARK say "again"',
    /not "again"/,
    PARK,
    [['local again = event ~= A_seen', 'local again = false']],
  ],
  [
    'what a lost job had is ready again',
    /was forgotten|says/,
    REQUEUE_LOST_JOBS,
    [["      redis.call('ZADD', K_ready, cache.micros, ref)", '']],
  ],
  [
    'a job that runs again finds its batch',
    /not "retried"/,
    DEQUEUE,
    [['if taken_earlier then', 'if false then']],
  ],
  [
    'a task has one deadline, which is never too late',
    /too late/,
    PARK,
    [['set_deadline(first_deadline(waits, expires_at))', '']],
  ],
  [
    'an end takes back what is open',
    /pending is/,
    CANCEL,
    [["write_all('ZREM', K_pending, references)", '']],
  ],
  [
    'an accepted answer makes its task ready',
    /was forgotten/,
    ACCEPT_ANSWER,
    [["queued and '' or enqueue_task(now)", "''"]],
  ],
];

test.each(MUTANTS)(
  'the random run notices when this is not so: %s',
  { timeout: 60_000 },
  async (_rule, wrong, script, cuts) => {
    const broken = await recorder.withMutant(script, cuts, () =>
      fc.check(claim, { seed: randomSeed, numRuns: 1_000, endOnFailure: true }),
    );
    expect(broken.failed && String(broken.errorInstance)).toMatch(wrong);
  },
);
