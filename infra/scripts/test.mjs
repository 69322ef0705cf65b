// `npm test`: from a fresh clone, installs, then runs all unit, contract and scenario tests against a real Redis.
// Arguments go to vitest: `npm test -- packages/store`.
import { prepare, run } from './prepare.mjs';

prepare();
run('npx', ['vitest', 'run', '--config', 'infra/vitest.config.ts', ...process.argv.slice(2)]);
