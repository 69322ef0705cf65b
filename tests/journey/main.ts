import { parseArgs } from 'node:util';
import { type Patch, PatchedRelease } from '../processes/patched-release.ts';
import { printCountsAndExit, reportCheck } from '../harness/check-report.ts';
import { runJourney } from './journey-run.ts';

/**
 * `npm run e2e:journey`: turns a document into a finished project through two replicas, two workers and two agents, which
 * are killed by a seed. `--seed N` replays one seed, `--seeds N` runs as many; one line per check, and a last line with the
 * counts. Then one run on a release that ignores idempotency keys, which must fail.
 *
 *   project-workflow   what the client does
 *   deployment/        the processes and the fake LLM     faults/               which faults, and when they are injected
 *   checks/            after every step, and at the end
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '2' },
    built: { type: 'string', default: '' },
    modules: { type: 'string', default: '' },
  },
});

/** Removes a guard from the shipped code; the run must report its absence. */
const KEYS_IGNORED: Patch = {
  file: 'program',
  from: /idempotencyKey\.safeParse\(meta\["baton\/idempotencyKey"\]\)/,
  to: 'idempotencyKey.safeParse(undefined)',
};

async function seeded(seed: number, entry: string): Promise<void> {
  const { checks, durations } = await runJourney(seed, entry);
  for (const { text, against } of checks) reportCheck(`seed ${seed}: ${text}`, against);
  console.log(`# seed ${seed}: ${durations}`);
  if (checks.some(({ against }) => against.length > 0))
    console.log(`      repeat: npm run e2e:journey -- --seed ${seed}`);
}

/** Without the guard a repeated call becomes a second task, which a check must report. */
async function mutated(seed: number, entry: string): Promise<void> {
  const { checks } = await runJourney(seed, entry);
  const [found] = checks.find(({ name }) => name === 'once')?.against ?? [];
  reportCheck(
    `idempotency keys ignored, seed ${seed}: a check reports it (${found ?? 'nothing'})`,
    found === undefined ? ['each call became one task nevertheless'] : [],
  );
}

const many = Array.from({ length: Number(values.seeds) }, (_, n) => n + 1);
const seeds = values.seed === undefined ? many : [Number(values.seed)];
console.log(`# seeds ${seeds.join(', ')}`);
const whole = await PatchedRelease.create(values.built, values.modules, []);
const without = await PatchedRelease.create(values.built, values.modules, [KEYS_IGNORED]);
try {
  const runs = seeds.map((seed) => () => seeded(seed, whole.entry));
  if (values.seed === undefined) runs.push(() => mutated(1, without.entry));
  const runAll = async () => {
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) await run();
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, runAll));
} finally {
  await Promise.all([whole.remove(), without.remove()]);
}
printCountsAndExit();
