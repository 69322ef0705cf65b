// `npm run e2e:journey`: builds the product and the suite, and takes documents to their end while processes are killed.
// Options: --seed N, --seeds N, --at-once N.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
await bundle('dist/journey/baton', { baton: 'apps/cli/src/main.ts' });
await bundle('dist/journey/suite', { main: 'tests/journey/main.ts' });
const places = ['--built', join(root, 'dist/journey/baton'), '--modules', join(root, 'node_modules')];
run(process.execPath, [join(root, 'dist/journey/suite/main.js'), ...process.argv.slice(2), ...places]);
