// `npm run e2e:compose`: docker-compose.yml, for real, under a project and a port of its own. It needs a Docker engine
// and fails without one. COMPOSE_SEED replays a run's choices.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

ensureNodeAndPackages();
await bundle('dist/compose', { main: 'tests/compose/main.ts' });
runCommandOrExit(process.execPath, [join(REPOSITORY_ROOT, 'dist/compose/main.js'), ...process.argv.slice(2)]);
