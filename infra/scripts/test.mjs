// `npm test`: from a fresh clone, installs, then runs all unit, contract and scenario tests against a real Redis.
// Arguments go to vitest: `npm test -- packages/store`.
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

ensureNodeAndPackages();
runCommandOrExit('npx', ['vitest', 'run', '--config', 'infra/vitest.config.ts', ...process.argv.slice(2)]);
