// `npm run bench`: builds the benchmark beside the product and runs it. BENCH_RUNS, BENCH_SECONDS, BENCH_CONCURRENCY
// and BENCH_ONLY (contest, growth, parked or operations) make it shorter.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { installPackages, root } from './install-packages.mjs';
import { runCommand } from './run-command.mjs';

installPackages();
const processes = [
  'load-client',
  'expand-all-agents',
  'time-resumes',
  'serve-baton',
  'serve-bullmq-control',
  'serve-lua-baseline',
];
await bundle('dist/bench', {
  main: 'tests/bench/main.ts',
  ...Object.fromEntries(processes.map((name) => [name, `tests/bench/processes/${name}.ts`])),
});
runCommand(process.execPath, [join(root, 'dist/bench/main.js')]);
