// `npm run bench`: builds the benchmark beside the product and runs it. BENCH_RUNS, BENCH_SECONDS, BENCH_CONCURRENCY
// and BENCH_ONLY (contest, growth, parked or operations) make it shorter.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
const processes = [
  'load-client',
  'expand-all-agents',
  'late-resume',
  'serve-baton',
  'serve-control',
  'serve-baseline',
];
await bundle('dist/bench', {
  main: 'tests/bench/main.ts',
  ...Object.fromEntries(processes.map((name) => [name, `tests/bench/processes/${name}.ts`])),
});
run(process.execPath, [join(root, 'dist/bench/main.js')]);
