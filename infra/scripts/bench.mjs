// `npm run bench`: builds the benchmark beside the product and runs it. BENCH_RUNS, BENCH_SECONDS, BENCH_CONCURRENCY
// and BENCH_ONLY (contest, growth, parked or operations) make it shorter.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
const parts = ['main', 'client', 'agents', 'late-resume', 'serve-baton', 'serve-control', 'serve-floor'];
await bundle('dist/bench', Object.fromEntries(parts.map((part) => [part, `tests/bench/${part}.ts`])));
run(process.execPath, [join(root, 'dist/bench/main.js')]);
