import { median } from '../harness/statistics.ts';
import { BenchProcess, cpuMicroseconds } from './subjects/bench-process.ts';
import { measureTraffic, RedisCallCounter } from '../harness/redis-traffic.ts';
import { batonSubject, RunningSubject } from './subjects/subject.ts';
import { type LoadCost, measureLoads } from './load-cost.ts';
import { putTeam } from './agents/team.ts';

const TURNS_AT_ONCE = [1, 16];
/** The text of a plain delegation, in characters: its request is as large as those of the assistant on average. */
const PLAIN_LENGTH = 440;
/** A turn has one of its four delegated calls open for a third of its time, then two at once, then one: four calls in three steps. */
const CALLS_AT_ONCE = 4 / 3;
const CONVERSATIONS = 100;
/** Turns of each conversation that are measured together, on both sides of the message that is named. */
const MEASURED_TURNS = 2;
const [EARLY, LATE] = [10, 200];
const SESSIONS = 1_000;

/** Prints what a delegated call of the assistant costs beside a plain one, a turn by the length of its conversation, and a change of tools. */
export async function measureAndPrintAgentCosts(runs: number, seconds: string): Promise<void> {
  await measureAndPrintAssistantCosts(runs, seconds);
  await printConversationCosts(runs);
  await printToolListTimes(runs);
}

/** Delegated calls of the assistant beside plain delegations, with as many calls at once. */
export async function measureAndPrintAssistantCosts(runs: number, seconds: string): Promise<void> {
  const running = await RunningSubject.start(batonSubject());
  const { url, key } = running.endpoint;
  await putTeam(running.endpoint);
  console.log(
    '| turns at once | one delegated call | bytes of its request | calls/s | p50 ms | CPU µs | Redis calls | KB to Redis | KB from Redis |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const lanes of TURNS_AT_ONCE) {
    const [plain, assistant] = await measureLoads(
      running,
      [
        (time, warm) => running.startLoad(Math.round(lanes * CALLS_AT_ONCE), time, warm, PLAIN_LENGTH),
        (time, warm) => new BenchProcess('ask-assistant', [url, key, String(lanes), time, warm]),
      ],
      runs,
      seconds,
    );
    if (plain === undefined || assistant === undefined) throw new Error('nothing was measured');
    console.log(loadRow(lanes, 'plain', plain));
    console.log(loadRow(lanes, '`ask_assistant` with two specialists', assistant));
    const of = (key: 'requestBytes' | 'perSecond' | 'cpu' | 'calls') =>
      (assistant[key] / plain[key]).toFixed(2);
    console.log(
      `| ${lanes} | of plain | ${of('requestBytes')} | ${of('perSecond')} | | ${of('cpu')} | ${of('calls')} | | |`,
    );
  }
  await running.end();
}

function loadRow(lanes: number, name: string, cost: LoadCost): string {
  const { perSecond, p50, cpu, calls, sent, received, requestBytes } = cost;
  const cells = [
    requestBytes.toFixed(0),
    perSecond.toFixed(0),
    p50.toFixed(1),
    cpu.toFixed(0),
    calls.toFixed(2),
    kilobytes(sent),
    kilobytes(received),
  ];
  return `| ${lanes} | ${name} | ${cells.join(' | ')} |`;
}

const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(1);

interface TurnCost {
  readonly cpu: number;
  readonly sent: number;
  readonly received: number;
  readonly calls: number;
}

/** A turn of a short conversation beside a turn of a long one. */
async function printConversationCosts(runs: number): Promise<void> {
  const running = await RunningSubject.start(batonSubject());
  await putTeam(running.endpoint);
  const [early, late]: [TurnCost[], TurnCost[]] = [[], []];
  // The first run compiles what the others measure.
  for (let run = 0; run <= runs; run++) {
    const held = new Conversations(running);
    await held.growTo(EARLY - MEASURED_TURNS * 2);
    const begun = await held.measureTurns(EARLY);
    await held.growTo(LATE - MEASURED_TURNS * 2);
    const grown = await held.measureTurns(LATE);
    await held.stop();
    if (run === 0) continue;
    early.push(begun);
    late.push(grown);
  }
  await running.end();
  const of = (costs: readonly TurnCost[], key: keyof TurnCost) => median(costs.map((cost) => cost[key]));
  console.log(
    '\n| a turn at message | CPU µs | Redis calls | KB to Redis | KB from Redis |\n| --- | --- | --- | --- | --- |',
  );
  for (const [at, costs] of [
    [EARLY, early],
    [LATE, late],
  ] as const) {
    const cells = [
      of(costs, 'cpu').toFixed(0),
      of(costs, 'calls').toFixed(2),
      kilobytes(of(costs, 'sent')),
      kilobytes(of(costs, 'received')),
    ];
    console.log(`| ${at} | ${cells.join(' | ')} |`);
  }
  const ratio = (key: keyof TurnCost) => (of(late, key) / of(early, key)).toFixed(2);
  console.log(
    `| ${LATE} of ${EARLY} | ${ratio('cpu')} | ${ratio('calls')} | ${ratio('sent')} | ${ratio('received')} |`,
  );
}

/** Conversations that a client process goes on with. */
class Conversations {
  private readonly running: RunningSubject;
  private readonly client: BenchProcess;

  constructor(running: RunningSubject) {
    const { url, key } = running.endpoint;
    this.running = running;
    this.client = new BenchProcess('hold-conversations', [url, key, String(CONVERSATIONS)]);
  }

  async growTo(messages: number): Promise<number> {
    this.client.child.stdin?.write(String(messages));
    return (await this.client.nextMessage()).trips ?? 0;
  }

  /** Turns up to this message, then as many again whose calls to Redis are counted. */
  async measureTurns(messages: number): Promise<TurnCost> {
    const { redis, pids } = this.running;
    const before = cpuMicroseconds(pids);
    const { done: turns, sent, received } = await measureTraffic(redis.url, () => this.growTo(messages));
    const cpu = (cpuMicroseconds(pids) - before) / turns;
    const counter = await RedisCallCounter.open(redis.url);
    const counted = await this.growTo(messages + MEASURED_TURNS * 2);
    const calls = (await counter.close()) / counted;
    return { cpu, sent: sent / turns, received: received / turns, calls };
  }

  stop(): Promise<void> {
    return this.client.stop();
  }
}

/** Changes of the list of tools, as all sessions of a tenant on two replicas hear of them. */
async function printToolListTimes(runs: number): Promise<void> {
  const running = await RunningSubject.start(batonSubject({ replicas: 2 }));
  await putTeam(running.endpoint);
  const client = new BenchProcess('hear-tool-lists', [
    running.urls.join(','),
    running.endpoint.key,
    String(SESSIONS),
  ]);
  await client.nextMessage();
  const [first, last, cpu]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < 2 * runs; run++) {
    const before = cpuMicroseconds(running.pids);
    client.child.stdin?.write(run % 2 === 0 ? 'disable' : 'enable');
    const heard = await client.nextMessage();
    first.push(heard.first ?? 0);
    last.push(heard.last ?? 0);
    cpu.push((cpuMicroseconds(running.pids) - before) / 1_000);
    // Streams are written to at most ten times a second.
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await client.stop();
  await running.end();
  const all = [first, last, cpu].map((values) => median(values).toFixed(0));
  console.log(
    `\nAn agent is enabled or disabled: of ${SESSIONS} sessions on two replicas the first hears of it after ${all[0]} ms, the last after ${all[1]} ms; ${all[2]} ms of CPU`,
  );
}
