import type { Serving } from './contender.ts';
import { median } from './figures.ts';
import { cpuOf, Process } from './process.ts';
import { CallCounter, type Traffic, trafficOf } from './redis-view.ts';

/** What a delegation of `expand_all` costs, answered by four agents. */
export interface Cost extends Traffic {
  readonly perSecond: number;
  /** Microseconds of CPU, of Baton's processes and its Redis, the agents left out. */
  readonly cpu: number;
  /** Calls to Redis, those inside scripts left out. */
  readonly calls: number;
}

/** A number of projects, each with so many tasks to split. */
export interface Size {
  readonly tasks: number;
  readonly projects: number;
}

/** The medians of several runs over projects of each size, in turns. */
export async function measureExpandAll(
  serving: Serving,
  sizes: readonly Size[],
  runs: number,
): Promise<Cost[]> {
  const measured = sizes.map((size) => ({ size, costs: [] as Timed[] }));
  for (let run = 0; run < runs; run++) {
    for (const { size, costs } of measured) costs.push(await time(serving, size));
  }
  const medians: Cost[] = [];
  for (const { size, costs } of measured) {
    const of = (key: keyof Timed) => median(costs.map((cost) => cost[key]));
    // MONITOR costs Redis something: the calls are counted in a run of their own.
    const calls = await count(serving, size);
    const [sent, received] = [of('sent'), of('received')];
    medians.push({ perSecond: of('perSecond'), cpu: of('cpu'), sent, received, calls });
  }
  return medians;
}

type Timed = Omit<Cost, 'calls'>;

async function time(serving: Serving, size: Size): Promise<Timed> {
  const agents = await Agents.start(serving, size);
  const before = cpuOf(serving.pids);
  const { done, sent, received } = await trafficOf(serving.redis.url, () => agents.end());
  const cpu = cpuOf(serving.pids) - before;
  const { trips, perSecond } = done;
  return { perSecond, cpu: cpu / trips, sent: sent / trips, received: received / trips };
}

async function count(serving: Serving, size: Size): Promise<number> {
  const agents = await Agents.start(serving, size);
  const counter = await CallCounter.open(serving.redis.url);
  const { trips } = await agents.end();
  return (await counter.close()) / trips;
}

/** The process of the agents, warmed up. */
class Agents {
  private static started = 0;
  private readonly process: Process;

  private constructor(process: Process) {
    this.process = process;
  }

  static async start({ at }: Serving, { tasks, projects }: Size): Promise<Agents> {
    const name = `expand-${Agents.started++}`;
    const process = new Process('agents', [at.url, at.key, name, String(tasks), String(projects)]);
    await process.next();
    return new Agents(process);
  }

  /** Has them work to the end. */
  async end(): Promise<{ trips: number; perSecond: number }> {
    const { trips = 0, perSecond = 0 } = await this.process.next();
    await this.process.end();
    return { trips, perSecond };
  }
}
