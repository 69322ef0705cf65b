import { parseArgs } from 'node:util';
import { type Patch, PatchedRelease } from '../processes/patched-release.ts';
import { exitWithCounts, reportClaim } from '../harness/claim-report.ts';
import { runEndToEnd } from './e2e-run.ts';

/**
 * `npm run e2e:journey`: from a document to work that is done, through two replicas, two workers and two agents that are
 * killed by a seed. `--seed N` replays one, `--seeds N` runs as many; a line for each claim, and the last one counts
 * them. Then one journey on a release that ignores idempotency keys, which must not pass.
 *
 *   plan      what a seed decides          injector, events   faults bound to what happens
 *   cluster      the processes, member        one of them       llm   the endpoint of both agents
 *   walk      the client's way             remote-client     the official client, over replicas that come and go
 *   project     a look after every step      once, round-trip  a look at the end
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

/** A guard taken out of the shipped code; the journey must miss it. */
const KEYS_IGNORED: Patch = {
  file: 'program',
  from: /idempotencyKey\.safeParse\(meta\["baton\/idempotencyKey"\]\)/,
  to: 'idempotencyKey.safeParse(undefined)',
};

async function seeded(seed: number, entry: string): Promise<void> {
  const { claims, durations } = await runEndToEnd(seed, entry);
  for (const { text, against } of claims) reportClaim(`seed ${seed}: ${text}`, against);
  console.log(`# seed ${seed}: ${durations}`);
  if (claims.some(({ against }) => against.length > 0))
    console.log(`      again: npm run e2e:journey -- --seed ${seed}`);
}

/** Without the guard each delegation is no longer taken once, and the suite says so. */
async function mutated(seed: number, entry: string): Promise<void> {
  const { claims } = await runEndToEnd(seed, entry);
  const [found] = claims.find(({ name }) => name === 'once')?.against ?? [];
  reportClaim(
    `idempotency keys ignored, seed ${seed}: it is caught (${found ?? 'nothing'})`,
    found === undefined ? ['each call became one task all the same'] : [],
  );
}

const many = Array.from({ length: Number(values.seeds) }, (_, n) => n + 1);
const seeds = values.seed === undefined ? many : [Number(values.seed)];
console.log(`# seeds ${seeds.join(', ')}`);
const whole = await PatchedRelease.create(values.built, values.modules, []);
const without = await PatchedRelease.create(values.built, values.modules, [KEYS_IGNORED]);
try {
  const journeys = seeds.map((seed) => () => seeded(seed, whole.entry));
  if (values.seed === undefined) journeys.push(() => mutated(1, without.entry));
  const next = async () => {
    for (let journey = journeys.shift(); journey !== undefined; journey = journeys.shift()) await journey();
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, next));
} finally {
  await Promise.all([whole.remove(), without.remove()]);
}
exitWithCounts();
