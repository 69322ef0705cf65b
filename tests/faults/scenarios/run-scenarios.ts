/**
 * Scenarios, each with real processes on a private Redis: what is done, and what is checked. The testbed starts and stops
 * the processes; `ScenarioReport` prints and counts.
 */
import { ScenarioReport, type Scenario } from '../testbed/scenario.ts';
import { takeStoredProjects } from '../testbed/testbed.ts';
import { clockSkew } from './clock-skew.ts';
import { evictionPolicy } from './eviction-policy.ts';
import { deadlineBurst } from './deadline-burst.ts';
import { sentinelFailover } from './sentinel-failover.ts';
import { redisMemoryFull } from './redis-memory-full.ts';
import { mixedReleases } from './mixed-releases.ts';
import { noisyNeighbour } from './noisy-neighbour.ts';
import { pausedQueue } from './paused-queue.ts';
import { poisonTask } from './poison-task.ts';
import { answerExpiryRace } from './answer-expiry-race.ts';
import { killedWorkflows } from './killed-workflows.ts';
import { slowRedis } from './slow-redis.ts';
import { stoppedWorker } from './stopped-worker.ts';

/** Those that the machine's speed has no part in, and that end within half a minute: the ones of a short run. */
const SHORT_SCENARIOS: readonly Scenario[] = [
  evictionPolicy,
  redisMemoryFull,
  poisonTask,
  killedWorkflows,
  pausedQueue,
  mixedReleases,
];

const SCENARIOS: readonly Scenario[] = [
  ...SHORT_SCENARIOS,
  answerExpiryRace,
  slowRedis,
  stoppedWorker,
  deadlineBurst,
  clockSkew,
  noisyNeighbour,
  sentinelFailover,
];

/** Runs all scenarios, those of a short run, or the one named `only`, against a built command. */
export async function runScenarios(
  entry: string,
  { only, short }: { readonly only?: string | undefined; readonly short?: boolean },
): Promise<{ passed: number; failed: number }> {
  let [passed, failed] = [0, 0];
  const all = short === true ? SHORT_SCENARIOS : SCENARIOS;
  const chosen = all.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    throw new Error(`there is no scenario '${only}', only ${all.map(({ name }) => name).join(', ')}`);
  }
  for (const scenario of chosen) {
    const report = new ScenarioReport(scenario.name);
    const begun = performance.now();
    try {
      await scenario.run(report, entry);
    } catch (error) {
      report.check(
        false,
        'the scenario runs to its end',
        error instanceof Error ? (error.stack ?? '') : String(error),
      );
    }
    const { projects, violations } = takeStoredProjects();
    report.check(
      violations.length === 0,
      `the ${projects} stored projects keep their invariants`,
      violations.join('; '),
    );
    console.log(`      ${scenario.name} took ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    passed += report.passed;
    failed += report.failed;
  }
  return { passed, failed };
}
