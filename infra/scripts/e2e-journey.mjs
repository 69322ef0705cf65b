// `npm run e2e:journey`: builds the product and the suite, and runs whole projects through gateways, workers and agents
// that are killed.
// Options: --seed N, --seeds N, --at-once N.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

ensureNodeAndPackages();
await bundle('dist/journey/baton', { baton: 'apps/cli/src/main.ts' });
await bundle('dist/journey/suite', { main: 'tests/journey/main.ts' });
const paths = [
  '--built',
  join(REPOSITORY_ROOT, 'dist/journey/baton'),
  '--modules',
  join(REPOSITORY_ROOT, 'node_modules'),
];
runCommandOrExit(process.execPath, [
  join(REPOSITORY_ROOT, 'dist/journey/suite/main.js'),
  ...process.argv.slice(2),
  ...paths,
]);
