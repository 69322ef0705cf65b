// `npm test`: from a fresh clone, installs, then runs all unit, contract and scenario tests against a real Redis.
// Arguments go to vitest: `npm test -- packages/store`.
import { installPackages } from './install-packages.mjs';
import { runCommand } from './run-command.mjs';

installPackages();
runCommand('npx', ['vitest', 'run', '--config', 'infra/vitest.config.ts', ...process.argv.slice(2)]);
