import { median } from '../harness/statistics.ts';
import { BenchProcess } from './subjects/bench-process.ts';
import { batonSubject, RunningSubject } from './subjects/subject.ts';

const SECONDS = 20;
const ATTACKS = ['checks', 'storage', 'large project', 'backlog', 'deadlines', 'lists', 'streams'];

interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

/** A quiet tenant alone, and beside each attacker, on one gateway and one worker; medians of runs. */
export async function measureNeighbours(runs: number): Promise<void> {
  console.log(
    '| beside | p50 ms | p50 alone | p99 ms | p99 alone | p99 of alone |\n| --- | --- | --- | --- | --- | --- |',
  );
  for (const attack of ATTACKS) {
    const figures: { alone: Latencies; beside: Latencies }[] = [];
    for (let run = 0; run < runs; run++) figures.push(await measureBeside(attack));
    const of = (when: 'alone' | 'beside', key: keyof Latencies) =>
      median(figures.map((one) => one[when][key]));
    const p99 = of('beside', 'p99');
    const cells = [
      of('beside', 'p50'),
      of('alone', 'p50'),
      p99,
      of('alone', 'p99'),
      p99 / of('alone', 'p99'),
    ];
    console.log(`| ${attack} | ${cells.map((cell) => cell.toFixed(1)).join(' | ')} |`);
  }
}

async function measureBeside(attack: string): Promise<{ alone: Latencies; beside: Latencies }> {
  const limits = attack === 'backlog' ? 'none' : 'default';
  const subject = { ...batonSubject({ tenants: 2 }), environment: { BENCH_LIMITS: limits } };
  const running = await RunningSubject.start(subject);
  const [quietKey = '', attackerKey = ''] = running.keys;
  const { url } = running.endpoint;
  const quiet = new BenchProcess('quiet-client', [url, quietKey]);
  const measure = async (seconds: number): Promise<Latencies> => {
    quiet.child.stdin?.write(String(seconds));
    const { p50 = 0, p99 = 0 } = await quiet.nextMessage();
    return { p50, p99 };
  };
  // Compiles what is measured.
  await measure(SECONDS);
  const alone = await measure(SECONDS);
  const worker = String(running.processes.at(-1)?.pid);
  const attacker = new BenchProcess('attacker', [attack, url, attackerKey, worker]);
  await attacker.nextMessage();
  const beside = await measure(SECONDS);
  await Promise.all([quiet.stop(), attacker.stop()]);
  await running.end();
  return { alone, beside };
}
