// `npm run soak`: what takes long, needs load or measures time, for hours at most: run by hand before a change of what it
// holds is called done. `-- faults abuse` runs parts of it; `.ci/run` runs none of it.
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';
import { SuiteRun } from './suites/suite-run.mjs';

const npm = (script, ...args) => ['npm', 'run', script, '--', ...args];
const PARTS = {
  tests: (suites) =>
    suites.vitest('soak tests', 60, ['npx', 'vitest', 'run', '--config', 'infra/vitest.soak.config.ts']),
  abuse: (suites) => suites.vitest('npm run abuse', 40, npm('abuse')),
  faults: (suites) => suites.counted('npm run faults', 60, npm('faults')),
  compose: (suites) => suites.counted('npm run e2e:compose', 30, npm('e2e:compose')),
  journey: (suites) => suites.counted('npm run e2e:journey', 30, npm('e2e:journey')),
};

ensureNodeAndPackages();
const given = process.argv.slice(2);
const unknown = given.find((name) => !(name in PARTS));
if (unknown !== undefined) {
  console.error(`There is no part '${unknown}' of the soak, only ${Object.keys(PARTS).join(', ')}.`);
  process.exit(64);
}
const suites = new SuiteRun();
for (const [name, run] of Object.entries(PARTS))
  if (given.length === 0 || given.includes(name)) await run(suites);
process.exit(suites.finish() ? 0 : 1);
