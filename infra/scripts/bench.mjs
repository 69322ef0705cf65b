// `npm run bench`: builds the benchmark beside the product and runs it. BENCH_RUNS, BENCH_SECONDS, BENCH_CONCURRENCY
// and BENCH_ONLY (contest, growth, parked, scripts, neighbours, durability, traces, dialects, streams, operations, projects, workflows, agents, assistant, streams-of-text or providers) make it shorter.
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

ensureNodeAndPackages();
const processes = [
  'load-client',
  'expand-all-agents',
  'time-resumes',
  'serve-baton',
  'serve-bullmq-control',
  'serve-lua-baseline',
  'quiet-client',
  'attacker',
  'hold-streams',
];
const agentProcesses = ['ask-assistant', 'hold-conversations', 'hear-tool-lists'];
await bundle('dist/bench', {
  main: 'tests/bench/main.ts',
  ...Object.fromEntries(processes.map((name) => [name, `tests/bench/processes/${name}.ts`])),
  'call-endpoint-steadily': 'tests/bench/providers/call-endpoint-steadily.ts',
  ...Object.fromEntries(agentProcesses.map((name) => [name, `tests/bench/agents/${name}.ts`])),
});
runCommandOrExit(process.execPath, [join(REPOSITORY_ROOT, 'dist/bench/main.js')]);
