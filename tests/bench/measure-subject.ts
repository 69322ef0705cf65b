import { median } from '../harness/statistics.ts';
import { type Subject, RunningSubject } from './subjects/subject.ts';
import { cpuMicroseconds, type BenchProcess } from './subjects/bench-process.ts';
import { RedisCallCounter } from '../harness/redis-traffic.ts';

/** The measurements of one run of a subject. */
export interface Measurements {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU per round trip, of its processes and its Redis, without the client. */
  readonly cpu: number;
  /** Of that, what gateways, workers and Redis took. */
  readonly gateway: number;
  readonly worker: number;
  readonly redis: number;
  /** Calls to Redis per round trip, without those inside scripts. */
  readonly calls: number;
  /** Baton only: accepted answers, the BullMQ jobs that resumed them, and answers resumed outside a job. */
  readonly resumed: { readonly answers: number; readonly jobs: number; readonly outside: number };
}

const ROLES = ['gateway', 'worker', 'redis'] as const;
const SECONDS = process.env['BENCH_SECONDS'] ?? '3';

export async function measureSubject(
  subject: Subject,
  concurrency: number,
  prepare: (running: RunningSubject) => Promise<void> = async () => {},
): Promise<Measurements> {
  const running = await RunningSubject.start(subject);
  await prepare(running);
  const client = running.startLoad(concurrency, SECONDS);
  await client.nextMessage();
  const resumedBefore = await running.countResumed();
  const cpuOfRoles = () => ROLES.map((role) => cpuMicroseconds(running.pidsOf(role)));
  const before = cpuMicroseconds(running.pids);
  const rolesBefore = cpuOfRoles();
  const { trips, perSecond, p50, p99 } = await readLoadResult(client);
  const cpu = (cpuMicroseconds(running.pids) - before) / trips;
  const [gateway = 0, worker = 0, redis = 0] = cpuOfRoles().map((us, at) => (us - rolesBefore[at]!) / trips);
  const resumed = await countResumes(running, resumedBefore, trips);
  // MONITOR slows Redis down: calls are counted in a separate run.
  const counting = running.startLoad(concurrency, '1', '1');
  await counting.nextMessage();
  const counter = await RedisCallCounter.open(running.redis.url);
  const counted = await readLoadResult(counting);
  const calls = (await counter.close()) / counted.trips;
  await running.end();
  return { perSecond, p50, p99, cpu, gateway, worker, redis, calls, resumed };
}

/** The jobs that resumed so many answers. A job reports after its answers, so this waits for up to a second. */
async function countResumes(
  running: RunningSubject,
  before: { readonly tasks: number; readonly jobs: number },
  answers: number,
): Promise<Measurements['resumed']> {
  let after = await running.countResumed();
  for (let waited = 0; after.tasks - before.tasks < answers && waited < 20; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    after = await running.countResumed();
  }
  const outside = Math.max(0, answers - (after.tasks - before.tasks));
  return { answers, jobs: after.jobs - before.jobs, outside };
}

async function readLoadResult(client: BenchProcess) {
  const { trips = 0, perSecond = 0, p50 = 0, p99 = 0 } = await client.nextMessage();
  await client.stop();
  return { trips, perSecond, p50, p99 };
}

/** The medians of several runs. */
export function medianMeasurements(runs: readonly Measurements[]): Measurements {
  const of = (key: Exclude<keyof Measurements, 'resumed'>) => median(runs.map((figures) => figures[key]));
  const sum = (key: keyof Measurements['resumed']) =>
    runs.reduce((all, { resumed }) => all + resumed[key], 0);
  const resumed = { answers: sum('answers'), jobs: sum('jobs'), outside: sum('outside') };
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpu: of('cpu'),
    gateway: of('gateway'),
    worker: of('worker'),
    redis: of('redis'),
    calls: of('calls'),
    resumed,
  };
}

const COLUMNS = [
  'trips/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/trip',
  'gateway',
  'worker',
  'Redis',
  'Redis calls/trip',
];

export function tableHead(...first: string[]): string {
  const cells = [...first, ...COLUMNS];
  return `| ${cells.join(' | ')} |\n|${' --- |'.repeat(cells.length)}`;
}

export function tableRow(figures: Measurements, ...first: string[]): string {
  const { perSecond, p50, p99, cpu, gateway, worker, redis, calls } = figures;
  const parts = [cpu, gateway, worker, redis].map((us) => us.toFixed(0));
  const cells = [perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(1), ...parts, calls.toFixed(1)];
  return `| ${[...first, ...cells].join(' | ')} |`;
}
