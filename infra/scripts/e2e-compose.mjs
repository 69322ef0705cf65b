// `npm run e2e:compose`: docker-compose.yml, for real, under a project and a port of its own. It needs a Docker engine
// and fails without one. COMPOSE_SEED replays a run's choices.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { installPackages, root } from './install-packages.mjs';
import { runCommand } from './run-command.mjs';

installPackages();
await bundle('dist/compose', { main: 'tests/compose/main.ts' });
runCommand(process.execPath, [join(root, 'dist/compose/main.js'), ...process.argv.slice(2)]);
