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

export const SCENARIOS: readonly Scenario[] = [
  evictionPolicy,
  redisMemoryFull,
  slowRedis,
  poisonTask,
  stoppedWorker,
  killedWorkflows,
  pausedQueue,
  mixedReleases,
  deadlineBurst,
  answerExpiryRace,
  clockSkew,
  noisyNeighbour,
  sentinelFailover,
];

/** Runs all scenarios, or the one named `only`, against a built command. */
export async function runScenarios(
  entry: string,
  only?: string,
): Promise<{ passed: number; failed: number }> {
  let [passed, failed] = [0, 0];
  const chosen = SCENARIOS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    throw new Error(`there is no scenario '${only}', only ${SCENARIOS.map(({ name }) => name).join(', ')}`);
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
