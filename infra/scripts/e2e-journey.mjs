// `npm run e2e:journey`: builds the product and the suite, and runs whole projects through gateways, workers and agents
// that are killed.
// Options: --seed N, --seeds N, --at-once N.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { installPackages, root } from './install-packages.mjs';
import { runCommand } from './run-command.mjs';

installPackages();
await bundle('dist/journey/baton', { baton: 'apps/cli/src/main.ts' });
await bundle('dist/journey/suite', { main: 'tests/journey/main.ts' });
const paths = ['--built', join(root, 'dist/journey/baton'), '--modules', join(root, 'node_modules')];
runCommand(process.execPath, [join(root, 'dist/journey/suite/main.js'), ...process.argv.slice(2), ...paths]);
