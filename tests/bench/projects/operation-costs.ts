import { batonSubject, RunningSubject } from '../subjects/subject.ts';
import { type DelegationCost, measureExpandAll } from './expand-all-cost.ts';
import { callToolForContent, createProject } from '../processes/project-calls.ts';
import { BenchProcess } from '../subjects/bench-process.ts';
import { type Traffic, measureTraffic } from '../../harness/redis-traffic.ts';

/** At least 200 delegations for each size: fewer would be noise. */
const SIZES = [
  { tasks: 10, projects: 20 },
  { tasks: 100, projects: 2 },
  { tasks: 1_000, projects: 1 },
];

const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(1);

/** Prints the cost of operations by project size and late in a task; the number of Redis calls must not grow with either. */
export async function measureAndPrintOperationCosts(runs: number): Promise<void> {
  const running = await RunningSubject.start(batonSubject());
  const costs = await measureExpandAll(running, SIZES, runs);
  console.log(
    '| `expand_all` of | delegations/s | CPU µs each | Redis calls each | KB to Redis | KB from Redis |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const [at, { tasks }] of SIZES.entries()) console.log(expandRow(`${tasks} tasks`, costs[at]));

  console.log('\n| one call | KB to Redis | KB from Redis |\n| --- | --- | --- |');
  for (const tasks of [10, 1_000]) {
    const { read, commit } = await measureCalls(running, tasks);
    console.log(trafficRow(`\`get_task\`, of ${tasks} tasks`, read));
    console.log(trafficRow(`\`set_task_status\`, of ${tasks} tasks`, commit));
  }
  await running.end();
  await reportResumeTimes();
}

function expandRow(name: string, cost: DelegationCost | undefined): string {
  if (cost === undefined) throw new Error(`nothing was measured of ${name}`);
  const { perSecond, cpu, calls, sent, received } = cost;
  const cells = [
    perSecond.toFixed(0),
    cpu.toFixed(0),
    calls.toFixed(1),
    kilobytes(sent),
    kilobytes(received),
  ];
  return `| ${[name, ...cells].join(' | ')} |`;
}

function trafficRow(name: string, { sent, received }: Traffic): string {
  return `| ${name} | ${kilobytes(sent)} | ${kilobytes(received)} |`;
}

const CALLS = 50;

/** The Redis traffic of a tool that reads a project and of one that commits to it. */
async function measureCalls(
  { endpoint, redis }: RunningSubject,
  tasks: number,
): Promise<{ read: Traffic; commit: Traffic }> {
  const projectRoot = `calls-${tasks}`;
  await createProject(endpoint, projectRoot, tasks);
  const each = async (call: (n: number) => Promise<unknown>): Promise<Traffic> => {
    const { sent, received } = await measureTraffic(redis.url, async () => {
      for (let n = 0; n < CALLS; n++) await call(n);
    });
    return { sent: sent / CALLS, received: received / CALLS };
  };
  const statuses = ['in-progress', 'pending'];
  return {
    read: await each(() => callToolForContent(endpoint, 'get_task', { projectRoot, id: '5' })),
    commit: await each((n) =>
      callToolForContent(endpoint, 'set_task_status', { projectRoot, id: '5', status: statuses[n % 2] }),
    ),
  };
}

/** Times a resume with few finished branches and one with many. */
async function reportResumeTimes(): Promise<void> {
  const running = await RunningSubject.start(batonSubject({ workers: 0 }));
  const { url, key } = running.endpoint;
  const worker = new BenchProcess('time-resumes', [running.redis.url, url, key]);
  const { resumes = [] } = await worker.nextMessage();
  await worker.stop();
  await running.end();
  const [few, many] = resumes;
  if (few === undefined || many === undefined) throw new Error('no resume was timed');
  const texts = [few, many].map(({ ms, entries }) => `${ms.toFixed(2)} ms with ${entries} journal entries`);
  console.log(`\nA resume takes ${texts.join(', ')}: ${(many.ms / few.ms).toFixed(2)} times as long`);
}
