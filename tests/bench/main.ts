import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findNode22OrNewer } from '../processes/node-22.ts';
import {
  batonSubject,
  type Subject,
  controlSubject,
  BASELINE_SUBJECT,
  type RunningSubject,
} from './subjects/subject.ts';
import {
  type Measurements,
  measureSubject,
  medianMeasurements,
  tableHead,
  tableRow,
} from './measure-subject.ts';
import { measureNeighbours } from './neighbours.ts';
import { compareDurability } from './durability.ts';
import { measureAndPrintOperationCosts } from './projects/operation-costs.ts';
import { measureParkedTaskSize } from './parked-task-size.ts';
import { measureAndPrintAgentCosts, measureAndPrintAssistantCosts } from './agent-costs.ts';
import { measureAndPrintNotificationStreams } from './notification-streams.ts';
import { measureAndPrintDialectCosts } from './dialect-costs.ts';
import { measureAndPrintTraceCosts } from './trace-costs.ts';
import { measureAndPrintWorkflowCosts } from './workflow-costs.ts';
import { measureAndPrintStreamOfText } from './stream-of-text.ts';
import { measureAndPrintProviderCosts } from './provider-costs.ts';
import { measureAndPrintProjectGrowth } from './projects/project-growth.ts';
import { measureScriptTimes, scriptTimesTable } from './script-times.ts';

/**
 * Benchmarks in one run on one machine, medians of several runs.
 *
 *   subject           Baton, a BullMQ control and a two-call baseline   measure-subject   one load run of a subject
 *   operation-costs   expand_all, single tool calls, late resumes       parked-task-size  memory per parked task
 *   project-growth    calls about one project by its size, and many callers that change one project
 *   workflow-costs    runs of workflows by their steps, workflows that wait, calls that continue them
 *   agents            turns of the assistant with specialists (`assistant` alone: these), long conversations, changes of tools that sessions hear of
 *   stream-of-text    an answer in chunks
 *   provider-costs    delegations beside calls to a slow LLM endpoint, and what such a call costs
 *   neighbours        a quiet tenant beside each kind of attacker
 *   dialect-costs     a round trip in each dialect
 *   notification-streams  many notification streams of one gateway
 *   durability        the price of an append-only file and of waiting for the disk
 *   script-times      the longest run of each script, beside few and many entries
 *   bench-process     the child processes (processes/, agents/, providers/)
 */
// What operators run is measured: Node 20 takes a fifth more of the CPU for the same.
const node = await findNode22OrNewer();
if (node !== process.execPath)
  process.exit(spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1);

const RUNS = Number(process.env['BENCH_RUNS'] ?? 5);
const CONCURRENCIES = (process.env['BENCH_CONCURRENCY'] ?? '1,16,64').split(',').map(Number);
const ONLY = process.env['BENCH_ONLY'];

async function compareSubjects(): Promise<void> {
  console.log(tableHead('at once', 'what'));
  const ratios: string[] = [];
  for (const concurrency of CONCURRENCIES) {
    const runs = new Map<Subject, Measurements[]>(
      [
        batonSubject({ protocol: 'delegated' }),
        batonSubject({ protocol: 'add_task' }),
        controlSubject(16),
        controlSubject(50),
        BASELINE_SUBJECT,
      ].map((one) => [one, []]),
    );
    // Interleaved, so that a slow phase of the machine affects all subjects.
    for (let run = 0; run < RUNS; run++) {
      for (const [subject, figures] of runs) figures.push(await measureSubject(subject, concurrency));
    }
    const rows = [...runs].map(([subject, figures]) => ({
      name: subject.name,
      ...medianMeasurements(figures),
    }));
    for (const row of rows) console.log(tableRow(row, String(concurrency), row.name));
    for (const { name, resumed } of rows.slice(0, 2)) {
      const { answers, jobs, outside } = resumed;
      ratios.push(
        `at ${concurrency}, ${name}: ${answers} answers, ${jobs} jobs (${(jobs / answers).toFixed(2)} each), ${outside} answers outside a job`,
      );
    }
    for (const a of rows.slice(0, 2))
      for (const b of rows.slice(2, 4)) {
        const of = (key: 'perSecond' | 'cpu' | 'p50') => `${(a[key] / b[key]).toFixed(2)}`;
        ratios.push(
          `at ${concurrency}, ${a.name} of ${b.name}: ${of('perSecond')} of its trips/s, ${of('cpu')} of its CPU, ${of('p50')} of its p50`,
        );
      }
  }
  console.log(`\n${ratios.join('\n')}\n`);
}

/** The same load with more tenants, processes and parked tasks, which must not lower the throughput. */
async function measureGrowth(): Promise<void> {
  const cases: [string, Subject, ((running: RunningSubject) => Promise<void>)?][] = [
    ['1 tenant, 1 gateway, 1 worker', batonSubject()],
    ['100 tenants', batonSubject({ tenants: 100 })],
    ['1,000 tenants', batonSubject({ tenants: 1_000 })],
    ['2 gateways, 2 workers', batonSubject({ replicas: 2 })],
    ['10,000 parked', batonSubject(), (running) => running.parkCalls(10_000)],
  ];
  console.log(tableHead('Baton at 64 with'));
  const runs = new Map<string, Measurements[]>(cases.map(([name]) => [name, []]));
  for (let run = 0; run < RUNS; run++) {
    for (const [name, subject, prepare] of cases) {
      runs.get(name)?.push(await measureSubject(subject, 64, prepare));
    }
  }
  for (const [name, figures] of runs) console.log(tableRow(medianMeasurements(figures), name));
}

const [cpu] = cpus();
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpu?.model}, Node ${process.version}, ${RUNS} runs each\n`,
);
if (ONLY === undefined || ONLY === 'contest') await compareSubjects();
if (ONLY === undefined || ONLY === 'growth') await measureGrowth();
if (ONLY === undefined || ONLY === 'parked') {
  const { count, redis, heap } = await measureParkedTaskSize();
  console.log(
    `\n${count} parked tasks: ${redis.toFixed(0)} bytes of Redis each, ${heap.toFixed(0)} bytes of a gateway's heap`,
  );
}
if (ONLY === undefined || ONLY === 'neighbours') {
  console.log();
  await measureNeighbours(Math.min(RUNS, 3));
}
if (ONLY === undefined || ONLY === 'durability') {
  console.log();
  await compareDurability(Math.min(RUNS, 3));
}
if (ONLY === undefined || ONLY === 'traces') {
  console.log();
  await measureAndPrintTraceCosts(Math.min(RUNS, 3));
}
if (ONLY === undefined || ONLY === 'dialects') {
  console.log();
  await measureAndPrintDialectCosts(RUNS);
}
if (ONLY === undefined || ONLY === 'streams') {
  console.log();
  await measureAndPrintNotificationStreams();
}
if (ONLY === undefined || ONLY === 'scripts') {
  console.log(`\n${scriptTimesTable(await measureScriptTimes())}`);
}
if (ONLY === undefined || ONLY === 'operations') {
  console.log();
  // A thousand tasks take long: at most three runs.
  await measureAndPrintOperationCosts(Math.min(RUNS, 3));
}
if (ONLY === undefined || ONLY === 'projects') {
  console.log();
  await measureAndPrintProjectGrowth(process.env['BENCH_SECONDS'] ?? '3');
}
if (ONLY === undefined || ONLY === 'workflows') {
  console.log();
  await measureAndPrintWorkflowCosts(RUNS);
}
if (ONLY === 'assistant') {
  await measureAndPrintAssistantCosts(RUNS, process.env['BENCH_SECONDS'] ?? '3');
}
if (ONLY === undefined || ONLY === 'agents') {
  console.log();
  await measureAndPrintAgentCosts(Math.min(RUNS, 3), process.env['BENCH_SECONDS'] ?? '3');
}
if (ONLY === undefined || ONLY === 'streams-of-text') {
  console.log();
  await measureAndPrintStreamOfText(RUNS);
}
if (ONLY === undefined || ONLY === 'providers') {
  console.log();
  await measureAndPrintProviderCosts(RUNS, process.env['BENCH_SECONDS'] ?? '5');
}
