import { parseArgs } from 'node:util';
import { mutations } from './mutations/index.ts';
import { perform } from './mutations/perform.ts';
import { FASTER, type Patch, Release } from './release.ts';
import { run } from './run.ts';

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

// An end by a signal is an end like any other: what runs is ended with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let passed = 0;
let failed = 0;

/** Prints a claim and what speaks against it, if anything, shortened. */
function report(claim: string, against: readonly string[]): void {
  if (against.length === 0) passed++;
  else failed++;
  console.log(`${against.length === 0 ? 'pass' : 'FAIL'}  ${claim}`);
  for (const what of against.slice(0, 10)) console.log(`      ${what.slice(0, 500)}`);
  if (against.length > 10) console.log(`      and ${against.length - 10} more`);
}

async function withRelease(patches: readonly Patch[], work: (entry: string) => Promise<void>): Promise<void> {
  const release = await Release.make(values.built, values.modules, patches);
  try {
    await work(release.entry);
  } finally {
    await release.remove();
  }
}

async function seededRuns(): Promise<void> {
  const tasks = Number(values.tasks);
  const all = Array.from({ length: Number(values.seeds) }, (_, n) => n + 1);
  await withRelease(FASTER, async (entry) => {
    for (const seed of values.seed === undefined ? all : [Number(values.seed)]) {
      const begun = performance.now();
      const { violations, unfinished, figures } = await run(seed, tasks, entry);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      const stuck =
        unfinished.length === 0
          ? []
          : [`${unfinished.length} clients got to no end: ${unfinished.slice(0, 5).join(', ')}`];
      report(`seed ${seed}: ${figures}, ${seconds} s`, [...violations, ...stuck]);
      if (violations.length + stuck.length > 0)
        console.log(`      again: npm run faults -- --only schedule --seed ${seed} --tasks ${tasks}`);
    }
  });
}

async function mutatedScenes(): Promise<void> {
  for (const mutation of mutations) {
    await withRelease(FASTER, async (entry) => {
      const found = await perform(mutation, entry);
      report(
        `the scene of "${mutation.name}" on the whole release: nothing is found`,
        found.map(({ invariant, what }) => `${invariant}: ${what}`),
      );
    });
    await withRelease([...FASTER, ...mutation.patches], async (entry) => {
      const found = await perform(mutation, entry);
      const caught = [...new Set(found.map(({ invariant }) => invariant))].sort().join(', ');
      report(
        `${mutation.name}: ${mutation.invariant} is caught, and nothing else (${found[0]?.what ?? 'nothing'})`,
        caught === mutation.invariant
          ? []
          : [`found: ${caught || 'nothing'}`, ...found.map(({ invariant, what }) => `${invariant}: ${what}`)],
      );
    });
  }
}

if (values.only === undefined || values.only === 'schedule') await seededRuns();
if (values.only === undefined || values.only === 'mutations') await mutatedScenes();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
