import type { RunningSubject } from '../subjects/subject.ts';
import { median } from '../../harness/statistics.ts';
import { cpuMicroseconds, BenchProcess } from '../subjects/bench-process.ts';
import { RedisCallCounter, type Traffic, measureTraffic } from '../../harness/redis-traffic.ts';

/** The cost of one delegation of `expand_all`, answered by four agents. */
export interface DelegationCost extends Traffic {
  readonly perSecond: number;
  /** Microseconds of CPU of Baton's processes and its Redis, without the agents. */
  readonly cpu: number;
  /** Calls to Redis, without those inside scripts. */
  readonly calls: number;
}

/** How many projects, and how many tasks each has to expand. */
export interface ProjectSize {
  readonly tasks: number;
  readonly projects: number;
}

/** The medians of several interleaved runs for each size. */
export async function measureExpandAll(
  running: RunningSubject,
  sizes: readonly ProjectSize[],
  runs: number,
): Promise<DelegationCost[]> {
  const measured = sizes.map((size) => ({ size, costs: [] as Timed[] }));
  for (let run = 0; run < runs; run++) {
    for (const { size, costs } of measured) costs.push(await measureRun(running, size));
  }
  const medians: DelegationCost[] = [];
  for (const { size, costs } of measured) {
    const of = (key: keyof Timed) => median(costs.map((cost) => cost[key]));
    // MONITOR slows Redis down: calls are counted in a separate run.
    const calls = await countCalls(running, size);
    const [sent, received] = [of('sent'), of('received')];
    medians.push({ perSecond: of('perSecond'), cpu: of('cpu'), sent, received, calls });
  }
  return medians;
}

type Timed = Omit<DelegationCost, 'calls'>;

async function measureRun(running: RunningSubject, size: ProjectSize): Promise<Timed> {
  const agents = await AgentsProcess.start(running, size);
  const before = cpuMicroseconds(running.pids);
  const { done, sent, received } = await measureTraffic(running.redis.url, () => agents.finish());
  const cpu = cpuMicroseconds(running.pids) - before;
  const { trips, perSecond } = done;
  return { perSecond, cpu: cpu / trips, sent: sent / trips, received: received / trips };
}

async function countCalls(running: RunningSubject, size: ProjectSize): Promise<number> {
  const agents = await AgentsProcess.start(running, size);
  const counter = await RedisCallCounter.open(running.redis.url);
  const { trips } = await agents.finish();
  return (await counter.close()) / trips;
}

/** The process of the four agents, warmed up. */
class AgentsProcess {
  private static started = 0;
  private readonly process: BenchProcess;

  private constructor(process: BenchProcess) {
    this.process = process;
  }

  static async start({ endpoint }: RunningSubject, { tasks, projects }: ProjectSize): Promise<AgentsProcess> {
    const name = `expand-${AgentsProcess.started++}`;
    const process = new BenchProcess('expand-all-agents', [
      endpoint.url,
      endpoint.key,
      name,
      String(tasks),
      String(projects),
    ]);
    await process.nextMessage();
    return new AgentsProcess(process);
  }

  /** Waits until the agents have answered everything. */
  async finish(): Promise<{ trips: number; perSecond: number }> {
    const { trips = 0, perSecond = 0 } = await this.process.nextMessage();
    await this.process.stop();
    return { trips, perSecond };
  }
}
