import { callToolForContent, createProject, type Endpoint } from '../processes/project-calls.ts';
import { quantile } from '../../harness/statistics.ts';
import { batonSubject, RunningSubject } from '../subjects/subject.ts';

const SIZES = [10, 100, 1_000, 3_000];
const CALLERS = [1, 8, 64];
const WARM_MS = 1_000;

interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
}

/** Arguments of the call `n` of a caller, for a project of so many tasks. */
const TOOLS: Readonly<Record<string, (tasks: number, n: number) => object>> = {
  get_task: (tasks, n) => ({ id: String(1 + (n % tasks)) }),
  get_tasks: () => ({ limit: 20 }),
  next_task: () => ({}),
  set_task_status: (tasks, n) => ({
    id: String(1 + (n % tasks)),
    status: n % 2 === 0 ? 'in-progress' : 'pending',
  }),
};

/** Prints what calls about one project cost by its size, and how many callers can change it at once, on one and on two replicas. */
export async function measureAndPrintProjectGrowth(seconds: string): Promise<void> {
  console.log(
    '| call | replicas | tasks | callers | calls/s | p50 ms | p99 ms | refused |\n| --- | --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const replicas of [1, 2]) {
    const subject = { ...batonSubject({ replicas, workers: 1 }), environment: { BENCH_LIMITS: 'none' } };
    const running = await RunningSubject.start(subject);
    const endpoints = running.urls.map((url) => ({ url, key: running.endpoint.key }));
    for (const tasks of SIZES) {
      const projectRoot = `growth-${tasks}`;
      await createProject(running.endpoint, projectRoot, tasks);
      for (const [tool, more] of Object.entries(TOOLS)) {
        const isChange = tool === 'set_task_status';
        if (replicas > 1 && !isChange) continue;
        for (const callers of isChange ? CALLERS : [1]) {
          const call = (at: Endpoint, n: number) =>
            callToolForContent(at, tool, { projectRoot, ...more(tasks, n) });
          await load(endpoints, callers, WARM_MS, call);
          const { perSecond, p50, p99, refused } = await load(
            endpoints,
            callers,
            Number(seconds) * 1_000,
            call,
          );
          const figures = [perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), refused];
          console.log(`| \`${tool}\` | ${[replicas, tasks, callers, ...figures].join(' | ')} |`);
        }
      }
    }
    await running.end();
  }
}

async function load(
  endpoints: readonly Endpoint[],
  callers: number,
  ms: number,
  call: (at: Endpoint, n: number) => Promise<unknown>,
): Promise<Load> {
  const latencies: number[] = [];
  let refused = 0;
  const since = performance.now();
  const lane = async (_: unknown, caller: number) => {
    const at = endpoints[caller % endpoints.length];
    // Callers change different tasks.
    for (let n = caller * 101; at !== undefined && performance.now() - since < ms; n++) {
      const begun = performance.now();
      try {
        await call(at, n);
        latencies.push(performance.now() - begun);
      } catch (refusal) {
        if (refused++ === 0)
          console.error(`# ${refusal instanceof Error ? refusal.message : String(refusal)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, lane));
  const perSecond = latencies.length / ((performance.now() - since) / 1_000);
  return { perSecond, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), refused };
}
