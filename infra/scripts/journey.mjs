// `npm run e2e:journey`: builds the product and the suite, and runs whole projects through a cluster whose processes are
// killed.
// Options: --seed N, --seeds N, --at-once N.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
await bundle('dist/e2e/baton', { baton: 'apps/cli/src/main.ts' });
await bundle('dist/e2e/suite', { main: 'tests/e2e/main.ts' });
const paths = ['--built', join(root, 'dist/e2e/baton'), '--modules', join(root, 'node_modules')];
run(process.execPath, [join(root, 'dist/e2e/suite/main.js'), ...process.argv.slice(2), ...paths]);
