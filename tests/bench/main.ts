import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { startPrivateRedis } from '@baton/local-redis';

/** Baton against the obvious thing and against a floor, in one run on one machine; medians of several runs. */
const RUNS = Number(process.env['BENCH_RUNS'] ?? 5);
const SECONDS = process.env['BENCH_SECONDS'] ?? '3';
const CONCURRENCIES = (process.env['BENCH_CONCURRENCY'] ?? '1,16,64').split(',').map(Number);

type Message = { ready?: boolean; warm?: boolean; url?: string; keys?: string[] } & Partial<Figures>;
interface Figures {
  trips: number;
  perSecond: number;
  p50: number;
  p99: number;
  cpu: number;
  calls: number;
}

class Process {
  readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor(script: string, args: readonly string[]) {
    this.child = spawn(process.execPath, [new URL(`./${script}.js`, import.meta.url).pathname, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    if (this.child.stdout === null) throw new Error('no output');
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async next(): Promise<Message> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('a process of the benchmark ended');
    return JSON.parse(value) as Message;
  }

  async end(): Promise<void> {
    const exited = once(this.child, 'exit');
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await exited;
  }
}

interface Contender {
  readonly name: string;
  readonly kind: 'baton' | 'plain';
  start(redis: string): Promise<{ processes: Process[]; urls: string[]; keys: string[] }>;
}

async function startAll(script: string, redis: string, roles: string[][]) {
  const processes = roles.map(([role = '', ...more]) => new Process(script, [role, redis, ...more]));
  const said: Message[] = [];
  for (const process of processes) said.push(await process.next());
  return {
    processes,
    urls: said.flatMap(({ url }) => url ?? []),
    keys: said.flatMap(({ keys }) => keys ?? []),
  };
}

const CONTENDERS: Contender[] = [
  {
    name: 'a Baton over MCP',
    kind: 'baton',
    start: (redis) =>
      startAll('serve-baton', redis, [
        ['gateway', 'g0'],
        ['worker', 'w0'],
      ]),
  },
  {
    name: 'b control',
    kind: 'plain',
    start: (redis) => startAll('serve-control', redis, [['gateway'], ['worker']]),
  },
  { name: 'c floor', kind: 'plain', start: (redis) => startAll('serve-floor', redis, [['all']]) },
];

/** User and system time of processes, in microseconds. */
function cpuOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10_000;
}

/** Calls of clients, read off MONITOR for a while: commands that are not a script's. */
class CallCounter {
  calls = 0;
  private readonly socket;
  constructor(redisUrl: string) {
    this.socket = createConnection(redisUrl.replace('unix://', ''));
    this.socket.write('MONITOR\r\n');
    createInterface({ input: this.socket }).on('line', (line) => {
      if (line.startsWith('+') && !line.includes(' lua] ')) this.calls++;
    });
  }
  close() {
    this.socket.destroy();
  }
}

async function measure(contender: Contender, concurrency: number): Promise<Figures> {
  const redis = await startPrivateRedis({ args: ['--appendonly', 'yes'] });
  const { processes, urls, keys } = await contender.start(redis.url);
  const pids = [redis.pid, ...processes.map(({ child }) => child.pid ?? 0)];
  const args = (seconds: string) => [
    contender.kind,
    urls.join(','),
    keys.join(','),
    String(concurrency),
    seconds,
  ];
  const client = new Process('client', args(SECONDS));
  await client.next();
  const before = cpuOf(pids);
  const figures = (await client.next()) as Figures;
  const cpu = (cpuOf(pids) - before) / figures.trips;
  await client.end();
  // MONITOR costs Redis something: the calls are counted in a run of their own.
  const counting = new Process('client', args('1'));
  await counting.next();
  const counter = new CallCounter(redis.url);
  const counted = (await counting.next()) as Figures;
  const calls = counter.calls / counted.trips;
  counter.close();
  await counting.end();
  await Promise.all(processes.map((process) => process.end()));
  await redis.stop();
  return { ...figures, cpu, calls };
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${RUNS} runs of ${SECONDS} s\n`,
);
console.log(
  '| at once | what | trips/s | p50 ms | p99 ms | CPU µs/trip | Redis calls/trip |\n| --- | --- | --- | --- | --- | --- | --- |',
);
for (const concurrency of CONCURRENCIES) {
  const all = new Map<string, Figures[]>();
  for (let run = 0; run < RUNS; run++) {
    for (const contender of CONTENDERS) {
      all.set(contender.name, [...(all.get(contender.name) ?? []), await measure(contender, concurrency)]);
    }
  }
  for (const [name, runs] of all) {
    const of = (key: keyof Figures, digits: number) =>
      median(runs.map((figures) => figures[key])).toFixed(digits);
    console.log(
      `| ${concurrency} | ${name} | ${of('perSecond', 0)} | ${of('p50', 2)} | ${of('p99', 1)} | ${of('cpu', 0)} | ${of('calls', 1)} |`,
    );
  }
}
