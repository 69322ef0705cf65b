import { parseArgs } from 'node:util';
import { printCountsAndExit, reportCheck } from '../harness/check-report.ts';
import type { Violation } from './checker/violation.ts';
import { mutations } from './mutations/index.ts';
import type { Mutation } from './mutations/mutation.ts';
import { runMutation } from './mutations/run-mutation.ts';
import { type Patch, PatchedRelease } from '../processes/patched-release.ts';
import { runConversation } from './conversations/conversation-run.ts';
import { runSeed } from './seeded-run.ts';

/**
 * The seeded runs, then the mutations that the checker must catch. `--built` and `--modules` name the folders of a built
 * Baton and of its packages; one line per check, and a last line with the counts.
 *
 *   seeded-run   clients and faults of one seed       checker     the history against four invariants
 *   deployment   the processes and their Redis        clients     what clients do, by plan or one by one
 *   nemesis      the schedule of faults               mutations   guards removed from the code; each must be caught
 *   conversations  conversations with specialists, and a mutation that their checks must report
 *   scenarios    single scenarios, run by scenarios/main.ts on a testbed
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '20' },
    tasks: { type: 'string', default: '1000' },
    only: { type: 'string' },
    conversations: { type: 'string', default: '2' },
    'without-mutations': { type: 'boolean', default: false },
    built: { type: 'string', default: '' },
    modules: { type: 'string', default: '' },
  },
});

/** Reports a check that throws as failed, so that the others still run. */
async function runCheck(what: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    return reportCheck(what, [`threw: ${error instanceof Error ? error.stack : String(error)}`]);
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
  const passed = await runCheck(`seed ${seed}`, async () => {
    const begun = performance.now();
    const { violations, unfinishedClients, figures } = await runSeed(seed, tasks, entry);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const some = unfinishedClients.slice(0, 5).join(', ');
    const unfinished =
      unfinishedClients.length === 0 ? [] : [`${unfinishedClients.length} clients did not finish: ${some}`];
    return reportCheck(`seed ${seed}: ${figures}, ${seconds} s`, [...violations, ...unfinished]);
  });
  if (!passed) console.log(`      repeat: npm run faults -- --only schedule --seed ${seed} --tasks ${tasks}`);
}

/** A mutation's scenario must have no violation on the unmodified release, and violate only its invariant on the mutated one. */
async function checkMutation(mutation: Mutation): Promise<void> {
  const { name, invariant: missed, patches } = mutation;
  const describe = (found: readonly Violation[]) =>
    found.map(({ invariant, what }) => `${invariant}: ${what}`);
  await runCheck(name, () =>
    withPatchedRelease([], async (entry) =>
      reportCheck(
        `the scenario of "${name}" on the unmodified release violates nothing`,
        describe(await runMutation(mutation, entry)),
      ),
    ),
  );
  await runCheck(name, () =>
    withPatchedRelease(patches, async (entry) => {
      const found = await runMutation(mutation, entry);
      const caught = [...new Set(found.map(({ invariant }) => invariant))].sort().join(', ') || 'nothing';
      return reportCheck(
        `${name}: ${missed} is violated, and nothing else (${found[0]?.what ?? 'nothing'})`,
        caught === missed ? [] : [`found: ${caught}`, ...describe(found)],
      );
    }),
  );
}

/** A worker whose reply is lost sends the end of a turn again; without the guard it would be added twice. */
const TURN_ENDS_TWICE: Patch = {
  file: 'lua/conversation/end_turn.lua',
  from: "if journaled then return {'journaled', journaled} end",
  to: '',
};

async function conversation(seed: number, entry: string): Promise<void> {
  const passed = await runCheck(`conversation ${seed}`, async () => {
    const begun = performance.now();
    const { figures, violations } = await runConversation(seed, entry);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    return reportCheck(`conversation ${seed}: ${figures}, ${seconds} s`, violations);
  });
  if (!passed) console.log(`      repeat: npm run faults -- --only conversations --seed ${seed}`);
}

async function mutatedConversation(entry: string): Promise<void> {
  await runCheck('turns that end twice', async () => {
    const { violations } = await runConversation(1, entry);
    const found = violations.filter((one) => one.includes('messages instead of'));
    return reportCheck(
      `the end of a turn without its journal check: reported (${violations[0] ?? 'nothing'})`,
      found.length > 0 ? [] : ['no check reports it'],
    );
  });
}

const seeds = Array.from({ length: Number(values.seeds) }, (_, n) => n + 1);
if (values.only === undefined || values.only === 'schedule') {
  await withPatchedRelease([], async (entry) => {
    for (const seed of values.seed === undefined ? seeds : [Number(values.seed)])
      await seededRun(seed, entry);
  });
}
const hasMutations = !values['without-mutations'];
if (hasMutations && (values.only === undefined || values.only === 'mutations'))
  for (const mutation of mutations) await checkMutation(mutation);
if (values.only === undefined || values.only === 'conversations') {
  const many = Array.from({ length: Number(values.conversations) }, (_, n) => n + 1);
  await withPatchedRelease([], async (entry) => {
    for (const seed of values.seed === undefined ? many : [Number(values.seed)])
      await conversation(seed, entry);
  });
  if (hasMutations && values.seed === undefined)
    await withPatchedRelease([TURN_ENDS_TWICE], mutatedConversation);
}
printCountsAndExit();
