// `npm run conformance`: builds Baton and runs the official conformance suite against two replicas behind a proxy without affinity. Arguments
// behind `--` go to the suite in place of all its runs, such as `npm run conformance -- --scenario ping`.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

ensureNodeAndPackages();
runCommandOrExit(process.execPath, [join(REPOSITORY_ROOT, 'infra/scripts/build.mjs')]);
await bundle('dist/conformance', { main: 'tests/conformance/main.ts' });
runCommandOrExit(process.execPath, [
  join(REPOSITORY_ROOT, 'dist/conformance/main.js'),
  ...process.argv.slice(2),
]);
