import { median } from '../harness/statistics.ts';
import { type BenchProcess, cpuMicroseconds } from './subjects/bench-process.ts';
import { measureTraffic, RedisCallCounter } from '../harness/redis-traffic.ts';
import type { RunningSubject } from './subjects/subject.ts';

/** The cost of one trip of a load. */
export interface LoadCost {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  /** Microseconds of CPU of Baton's processes and its Redis, without the client. */
  readonly cpu: number;
  /** Bytes sent to Redis and received from it. */
  readonly sent: number;
  readonly received: number;
  /** Of a delegated request, as JSON. */
  readonly requestBytes: number;
  /** Calls to Redis, without those inside scripts. */
  readonly calls: number;
}

/** A load of so many seconds, which reports when it has warmed up and when it is over. */
export type Load = (seconds: string, warmSeconds: string) => BenchProcess;

/** How many scripts share a command differs from one second to the next. */
const COUNTS = 5;

/** The medians of several runs of loads in turns. */
export async function measureLoads(
  running: RunningSubject,
  loads: readonly Load[],
  runs: number,
  seconds: string,
): Promise<LoadCost[]> {
  const measured = loads.map((load) => ({ load, costs: [] as Omit<LoadCost, 'calls'>[] }));
  for (let run = 0; run < runs; run++) {
    for (const { load, costs } of measured)
      costs.push(await timeLoad(running, load(seconds, run === 0 ? '12' : '3')));
  }
  const medians: LoadCost[] = [];
  for (const { load, costs } of measured) {
    const of = (key: Exclude<keyof LoadCost, 'calls'>) => median(costs.map((cost) => cost[key]));
    // MONITOR slows Redis down: calls are counted in runs of their own.
    const counts: number[] = [];
    for (let count = 0; count < COUNTS; count++) counts.push(await countCalls(running, load('2', '2')));
    const calls = median(counts);
    const [perSecond, p50, cpu] = [of('perSecond'), of('p50'), of('cpu')];
    const [sent, received, requestBytes] = [of('sent'), of('received'), of('requestBytes')];
    medians.push({ perSecond, p50, cpu, sent, received, requestBytes, calls });
  }
  return medians;
}

async function timeLoad(running: RunningSubject, client: BenchProcess): Promise<Omit<LoadCost, 'calls'>> {
  await client.nextMessage();
  const before = cpuMicroseconds(running.pids);
  const { done, sent, received } = await measureTraffic(running.redis.url, () => client.nextMessage());
  const cpu = cpuMicroseconds(running.pids) - before;
  await client.stop();
  const { trips = 0, perSecond = 0, p50 = 0, requestBytes = 0 } = done;
  return { perSecond, p50, cpu: cpu / trips, sent: sent / trips, received: received / trips, requestBytes };
}

async function countCalls({ redis }: RunningSubject, client: BenchProcess): Promise<number> {
  await client.nextMessage();
  const counter = await RedisCallCounter.open(redis.url);
  const { trips = 0 } = await client.nextMessage();
  const calls = await counter.close();
  await client.stop();
  return calls / trips;
}
