// What CI runs (`.ci/run`): whether a change is free of faults, on a machine of any speed. Speed, load, long runs and
// mutations of whole processes are the soak's (soak.mjs). Each step prints its seconds.
import { SuiteRun } from './suites/suite-run.mjs';

const suites = new SuiteRun();
await suites.vitest('npm test', 45, ['npm', 'test', '--']);
await suites.command('npm run verify', 10, ['npm', 'run', 'verify', '--', '--without-tests']);
await suites.vitest('npm run abuse', 10, ['npm', 'run', 'abuse', '--', '--short']);
await suites.vitest('npm run e2e:browser', 10, ['npm', 'run', 'e2e:browser', '--']);
await suites.counted('npm run faults', 10, ['npm', 'run', 'faults', '--', '--short']);
await suites.counted('npm run e2e:compose', 15, ['npm', 'run', 'e2e:compose', '--', '--short']);
await suites.repeatFailedFiles();
process.exit(suites.finish() ? 0 : 1);
