// `npm start`: from a fresh clone to a running Baton. Installs, builds what is stale, then becomes `baton dev`.
import { join } from 'node:path';
import { build, isStale } from './build.mjs';
import { prepare, root } from './prepare.mjs';

prepare();
if (isStale()) {
  console.error('baton: building');
  await build();
}
process.argv.splice(1, process.argv.length - 1, join(root, 'dist/baton.js'), 'dev', ...process.argv.slice(2));
await import(join(root, 'dist/baton.js'));
