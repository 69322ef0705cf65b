// `npm start`: from a fresh clone to a running Baton. Installs, builds what is stale, then becomes `baton dev`.
import { join } from 'node:path';
import { build, isBuildStale } from './build.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';

ensureNodeAndPackages();
if (isBuildStale()) {
  console.error('baton: building');
  await build();
}
process.argv.splice(
  1,
  process.argv.length - 1,
  join(REPOSITORY_ROOT, 'dist/baton.js'),
  'dev',
  ...process.argv.slice(2),
);
await import(join(REPOSITORY_ROOT, 'dist/baton.js'));
