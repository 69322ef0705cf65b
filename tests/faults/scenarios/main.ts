import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runScenarios } from './run-scenarios.ts';

/** Runs the scenarios: `--built <folder of the built command>`, `--only <name>`, `--short`. Exit code 1 when a check fails. */
const { values } = parseArgs({
  options: {
    built: { type: 'string', default: 'dist' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});
const { passed, failed } = await runScenarios(join(values.built, 'baton.js'), values);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
