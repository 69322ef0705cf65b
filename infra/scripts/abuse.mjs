// `npm run abuse`: bad input, generated, and attacks, against real processes. FC_SEED replays a run, FC_RUNS makes it longer or
// shorter; arguments go to vitest. `--bundle <folder>` only builds what those processes run.
import { build, bundle, isBuildStale } from './build.mjs';
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

const [first, folder] = process.argv.slice(2);
if (first === '--bundle') {
  await bundle(folder, { serve: 'tests/abuse/environment/server-process.ts' });
} else {
  ensureNodeAndPackages();
  if (isBuildStale()) await build();
  runCommandOrExit('npx', [
    'vitest',
    'run',
    '--config',
    'infra/vitest.abuse.config.ts',
    ...process.argv.slice(2),
  ]);
}
