import { parseArgs } from 'node:util';
import { FASTER, type Patch, Release } from '../faults/release.ts';
import { run } from './run.ts';

/**
 * `npm run e2e:journey`: from a document to work that is done, through two replicas, two workers and two agents that are
 * killed by a seed. `--seed N` replays one, `--seeds N` runs as many; a line for each claim, and the last one counts
 * them. Then one journey on a release that ignores idempotency keys, which must not pass.
 *
 *   plan      what a seed decides          chaos, progress   faults bound to what happens
 *   crew      the processes, member        one of them       llm   the endpoint of both agents
 *   walk      the client's way             remote-client     the official client, over replicas that come and go
 *   watch     a look after every step      once, round-trip  a look at the end
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

// An end by a signal is an end like any other: what runs is ended with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let passed = 0;
let failed = 0;

function report(text: string, against: readonly string[]): void {
  if (against.length === 0) passed++;
  else failed++;
  console.log(`${against.length === 0 ? 'pass' : 'FAIL'}  ${text}`);
  for (const what of against.slice(0, 10)) console.log(`      ${what.slice(0, 700)}`);
  if (against.length > 10) console.log(`      and ${against.length - 10} more`);
}

async function seeded(seed: number, entry: string): Promise<void> {
  const { claims, took } = await run(seed, entry);
  for (const { text, against } of claims) report(`seed ${seed}: ${text}`, against);
  console.log(`# seed ${seed}: ${took}`);
  if (claims.some(({ against }) => against.length > 0))
    console.log(`      again: npm run e2e:journey -- --seed ${seed}`);
}

/** Without the guard each delegation is no longer taken once, and the suite says so. */
async function mutated(seed: number, entry: string): Promise<void> {
  const { claims } = await run(seed, entry);
  const [found] = claims.find(({ name }) => name === 'once')?.against ?? [];
  report(
    `idempotency keys ignored, seed ${seed}: it is caught (${found ?? 'nothing'})`,
    found === undefined ? ['each call became one task all the same'] : [],
  );
}

const many = Array.from({ length: Number(values.seeds) }, (_, n) => n + 1);
const seeds = values.seed === undefined ? many : [Number(values.seed)];
console.log(`# seeds ${seeds.join(', ')}`);
const whole = await Release.make(values.built, values.modules, FASTER);
const without = await Release.make(values.built, values.modules, [...FASTER, KEYS_IGNORED]);
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
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
