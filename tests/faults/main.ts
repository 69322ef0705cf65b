import { parseArgs } from 'node:util';
import { exitWithCounts, reportClaim } from '../harness/claim-report.ts';
import type { Violation } from './checker/evidence.ts';
import { mutations } from './mutations/index.ts';
import type { Mutation } from './mutations/mutation.ts';
import { runMutation } from './mutations/run-mutation.ts';
import { type Patch, PatchedRelease } from '../processes/patched-release.ts';
import { runSeed } from './seeded-run.ts';

/**
 * The seeded runs, then the mutations that the checker must catch. `--built` and `--modules` name the folders of a
 * built Baton and of its packages; a line for each claim, and the last one counts them.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '20' },
    tasks: { type: 'string', default: '1000' },
    only: { type: 'string' },
    built: { type: 'string', default: '' },
    modules: { type: 'string', default: '' },
  },
});

/** A run that breaks off speaks against its claim too, and the others go on. */
async function attemptClaim(claim: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    return reportClaim(claim, [`broke off: ${error instanceof Error ? error.stack : String(error)}`]);
  }
}

async function withPatchedRelease<T>(
  patches: readonly Patch[],
  work: (entry: string) => Promise<T>,
): Promise<T> {
  const release = await PatchedRelease.create(values.built, values.modules, patches);
  try {
    return await work(release.entry);
  } finally {
    await release.remove();
  }
}

async function seededRun(seed: number, entry: string): Promise<void> {
  const tasks = Number(values.tasks);
  const held = await attemptClaim(`seed ${seed}`, async () => {
    const begun = performance.now();
    const { violations, unfinishedClients, figures } = await runSeed(seed, tasks, entry);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const some = unfinishedClients.slice(0, 5).join(', ');
    const stuck =
      unfinishedClients.length === 0 ? [] : [`${unfinishedClients.length} clients got to no end: ${some}`];
    return reportClaim(`seed ${seed}: ${figures}, ${seconds} s`, [...violations, ...stuck]);
  });
  if (!held) console.log(`      again: npm run faults -- --only schedule --seed ${seed} --tasks ${tasks}`);
}

/** A scene must be clean on the whole release, and break its mutation's invariant, and no other, without the guard. */
async function checkMutation(mutation: Mutation): Promise<void> {
  const { name, invariant: missed, patches } = mutation;
  const told = (found: readonly Violation[]) => found.map(({ invariant, what }) => `${invariant}: ${what}`);
  await attemptClaim(name, () =>
    withPatchedRelease([], async (entry) =>
      reportClaim(
        `the scene of "${name}", nothing taken out: nothing is found`,
        told(await runMutation(mutation, entry)),
      ),
    ),
  );
  await attemptClaim(name, () =>
    withPatchedRelease(patches, async (entry) => {
      const found = await runMutation(mutation, entry);
      const caught = [...new Set(found.map(({ invariant }) => invariant))].sort().join(', ') || 'nothing';
      return reportClaim(
        `${name}: ${missed} is caught, and nothing else (${found[0]?.what ?? 'nothing'})`,
        caught === missed ? [] : [`found: ${caught}`, ...told(found)],
      );
    }),
  );
}

const seeds = Array.from({ length: Number(values.seeds) }, (_, n) => n + 1);
if (values.only === undefined || values.only === 'schedule') {
  await withPatchedRelease([], async (entry) => {
    for (const seed of values.seed === undefined ? seeds : [Number(values.seed)])
      await seededRun(seed, entry);
  });
}
if (values.only === undefined || values.only === 'mutations')
  for (const mutation of mutations) await checkMutation(mutation);
exitWithCounts();
