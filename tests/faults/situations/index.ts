/**
 * Single situations, each with real processes on a Redis of its own: what is done, what is claimed. `rig` starts and ends
 * the processes, `claims` counts.
 */
import { Claims, type Situation } from './claims.ts';
import { clocks } from './clocks.ts';
import { evictingPolicy } from './evicting-policy.ts';
import { crowdedDeadlines } from './crowded-deadlines.ts';
import { failover } from './failover.ts';
import { fullMemory } from './full-memory.ts';
import { mixedReleases } from './mixed-releases.ts';
import { neighbours } from './neighbours.ts';
import { pausedQueue } from './paused-queue.ts';
import { poison } from './poison.ts';
import { sameMillisecond } from './same-millisecond.ts';
import { stoppedWorker } from './stopped-worker.ts';

export const SITUATIONS: readonly Situation[] = [
  evictingPolicy,
  fullMemory,
  poison,
  stoppedWorker,
  pausedQueue,
  mixedReleases,
  crowdedDeadlines,
  sameMillisecond,
  clocks,
  neighbours,
  failover,
];

/** Runs the situations, or the one of this name, against a built command; one line per claim. */
export async function runSituations(
  entry: string,
  only?: string,
): Promise<{ passed: number; failed: number }> {
  let [passed, failed] = [0, 0];
  const chosen = SITUATIONS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    throw new Error(`there is no situation '${only}', only ${SITUATIONS.map(({ name }) => name).join(', ')}`);
  }
  for (const situation of chosen) {
    const claims = new Claims(situation.name);
    const begun = performance.now();
    try {
      await situation.run(claims, entry);
    } catch (error) {
      claims.claim(false, 'it gets to its end', error instanceof Error ? (error.stack ?? '') : String(error));
    }
    console.log(`      ${situation.name} took ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    passed += claims.passed;
    failed += claims.failed;
  }
  return { passed, failed };
}
