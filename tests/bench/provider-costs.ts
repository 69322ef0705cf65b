import { median } from '../harness/statistics.ts';
import { BenchProcess, cpuMicroseconds } from './subjects/bench-process.ts';
import { RedisCallCounter } from '../harness/redis-traffic.ts';
import { batonSubject, RunningSubject } from './subjects/subject.ts';

const CALLS_AT_ONCE = 100;
const CALL_MS = 5_000;
/** Of default limits, each may have 16 calls under way. */
const TENANTS_WITH_CALLS = 7;
const DELEGATIONS_AT_ONCE = 64;
/** Calls are counted over so many ms. */
const COUNTED_MS = 2 * CALL_MS;

interface Latencies {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Prints the latencies of delegations alone and while calls to a slow endpoint are under way, in turns within one run, and what such a call
 * costs by itself.
 */
export async function measureAndPrintProviderCosts(runs: number, seconds: string): Promise<void> {
  const running = await RunningSubject.start(batonSubject({ tenants: TENANTS_WITH_CALLS + 1 }));
  const { url } = running.endpoint;
  const [own = '', ...others] = running.keys;
  const args = [url, others.join(','), String(CALLS_AT_ONCE), String(CALL_MS)];
  const calls = new SteadyCalls(new BenchProcess('call-endpoint-steadily', args));
  await calls.isReady();
  const load = (warm: string) => timeLoad(url, own, seconds, warm);
  const alone: Latencies[] = [];
  const beside: Latencies[] = [];
  const measureBeside = async (warm = '2') => {
    await calls.start();
    const measured = await load(warm);
    await calls.stop();
    return measured;
  };
  // Compiles what is measured.
  await measureBeside('12');
  for (let run = 0; run < runs; run++) {
    // Each comes first in turn, so that a machine that gets slower or faster favours neither.
    if (run % 2 === 0) alone.push(await load('2'));
    beside.push(await measureBeside());
    if (run % 2 === 1) alone.push(await load('2'));
  }
  const cost = await measureCalls(running, calls);
  await calls.process.stop();
  await running.end();
  console.log(
    `| ${DELEGATIONS_AT_ONCE} delegations at once | trips/s | p50 ms | p99 ms |\n| --- | --- | --- | --- |`,
  );
  console.log(latencyRow('alone', alone));
  console.log(latencyRow(`beside ${CALLS_AT_ONCE} calls of ${CALL_MS / 1_000} s under way`, beside));
  const ratio = (key: keyof Latencies) =>
    (median(beside.map((one) => one[key])) / median(alone.map((one) => one[key]))).toFixed(2);
  console.log(`| of alone | ${ratio('perSecond')} | ${ratio('p50')} | ${ratio('p99')} |`);
  const ratios = alone.map(({ p99 }, run) => ((beside[run]?.p99 ?? 0) / p99).toFixed(2));
  console.log(`\nThe p99s of each pair of runs: ${ratios.join(', ')}`);
  console.log(`A call by itself: ${cost.cpu.toFixed(0)} µs of CPU and ${cost.calls.toFixed(1)} Redis calls`);
}

function latencyRow(name: string, measured: readonly Latencies[]): string {
  const of = (key: keyof Latencies) => median(measured.map((one) => one[key]));
  return `| ${name} | ${of('perSecond').toFixed(0)} | ${of('p50').toFixed(1)} | ${of('p99').toFixed(1)} |`;
}

async function timeLoad(url: string, key: string, seconds: string, warm: string): Promise<Latencies> {
  const args = ['baton', url, key, String(DELEGATIONS_AT_ONCE), seconds, warm];
  const client = new BenchProcess('load-client', args);
  await client.nextMessage();
  const { perSecond = 0, p50 = 0, p99 = 0 } = await client.nextMessage();
  await client.stop();
  return { perSecond, p50, p99 };
}

/** CPU and Redis calls of one call to an endpoint, without those that a deployment makes in the same time without any. */
async function measureCalls({ redis, pids }: RunningSubject, calls: SteadyCalls) {
  const measure = async () => {
    const before = cpuMicroseconds(pids);
    await new Promise((resolve) => setTimeout(resolve, COUNTED_MS));
    const cpu = cpuMicroseconds(pids) - before;
    // Counted apart: MONITOR slows Redis down.
    const counter = await RedisCallCounter.open(redis.url);
    await new Promise((resolve) => setTimeout(resolve, COUNTED_MS));
    return { cpu, calls: await counter.close() };
  };
  const idle = await measure();
  await calls.start();
  const begun = await calls.count();
  const busy = await measure();
  // As many in the half in which CPU was measured as in the other.
  const answered = ((await calls.count()) - begun) / 2;
  await calls.stop();
  return { cpu: (busy.cpu - idle.cpu) / answered, calls: (busy.calls - idle.calls) / answered };
}

/** The process that keeps calls under way. */
class SteadyCalls {
  readonly process: BenchProcess;

  constructor(process: BenchProcess) {
    this.process = process;
  }

  async isReady(): Promise<void> {
    await this.process.nextMessage();
  }

  async start(): Promise<void> {
    await this.ask('start');
  }

  async stop(): Promise<void> {
    await this.ask('stop');
  }

  /** Calls that were answered so far. */
  count(): Promise<number> {
    return this.ask('count');
  }

  private async ask(action: string): Promise<number> {
    this.process.child.stdin?.write(`${action}\n`);
    return (await this.process.nextMessage()).trips ?? 0;
  }
}
