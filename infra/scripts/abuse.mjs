// `npm run abuse`: bad input, generated, and attacks, against real processes. FC_SEED replays a run, FC_RUNS makes it longer or
// shorter; arguments go to vitest. `--short` leaves out what measures time and what takes guards away, and has one seed.
// `--bundle <folder>` only builds what those processes run.
import { build, bundle, isBuildStale } from './build.mjs';
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

const [first, folder] = process.argv.slice(2);
if (first === '--bundle') {
  await bundle(folder, { serve: 'tests/abuse/environment/server-process.ts' });
} else {
  ensureNodeAndPackages();
  if (isBuildStale()) await build();
  const isShort = process.argv.includes('--short');
  const args = process.argv.slice(2).filter((argument) => argument !== '--short');
  if (isShort) args.push('--exclude', '**/*.soak.abuse.ts');
  const short = { ABUSE_SHORT: 'true', FC_SEED: '1', FC_RUNS: '10' };
  runCommandOrExit(
    'npx',
    ['vitest', 'run', '--config', 'infra/vitest.abuse.config.ts', ...args],
    isShort ? { ...short, ...process.env } : {},
  );
}
