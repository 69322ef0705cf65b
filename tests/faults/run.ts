import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from './agent.ts';
import { check } from './checker.ts';
import { type FinalState, hasEnded } from './final-state.ts';
import { Fleet } from './fleet.ts';
import { Heartbeat } from './heartbeat.ts';
import { clock, History } from './history.ts';
import { GRACE_MS } from './invariants/deadlines.ts';
import { strike } from './nemesis.ts';
import { plans, SHORT } from './plan.ts';
import { probe } from './probe.ts';
import { readFinal } from './read-final.ts';
import { schedule } from './schedule.ts';

/** What a run came to. `unfinished` clients make it void: what they did not get done could hide what was lost. */
export interface Verdict {
  readonly violations: readonly string[];
  readonly unfinished: readonly string[];
  readonly figures: string;
}

/** Tasks are begun over so many milliseconds, 1,000 of them in a whole window. */
const WINDOW_MS = 13_000;

/** So long the clients may take after the last fault is over. */
const PATIENCE_MS = 30_000;

/** One run: clients and faults of a seed, side by side, and then the checker over what became of it. */
export async function run(seed: number, count: number, entry: string): Promise<Verdict> {
  const dir = await mkdtemp(join(tmpdir(), 'baton-history-'));
  const path = join(dir, `seed-${seed}.jsonl`);
  const history = new History(path);
  const gateways = [{}, {}, SHORT];
  const fleet = await Fleet.start({ entry, gateways, workers: 2 }, history);
  const over = new AbortController();
  let verdict: Verdict | undefined;
  const stages = new Stages();
  const heart = new Heartbeat(history);
  try {
    const clients = plans(seed, count, WINDOW_MS);
    const world = { fleet, history, over: over.signal };
    const running = Promise.all(
      clients.map(async (plan) => ((await new Agent(plan, world).run()) ? [] : [plan.key])),
    );
    await strike(fleet, schedule(seed, gateways.length, 2), history);
    stages.end('faults');
    await patiently(running, heart);
    over.abort();
    const unfinished = (await running).flat();
    stages.end('clients');
    const final = await rest(fleet);
    await probe(world, history.entries, clients);
    stages.end('reading');
    verdict = judge(history, final, unfinished, `${stages.text}${heart.text}`);
    return verdict;
  } finally {
    over.abort();
    heart.stop();
    await fleet.stop();
    await history.close();
    const good = verdict?.violations.length === 0 && verdict.unfinished.length === 0;
    if (good) await rm(dir, { recursive: true });
    else console.log(`  its history: ${path}`);
  }
}

/** Gives the clients their time, of which what the machine stalls is no part. */
async function patiently(running: Promise<unknown>, heart: Heartbeat): Promise<void> {
  let done = false;
  const end = running.then(() => {
    done = true;
  });
  const [begun, lost] = [performance.now(), heart.lostMs];
  while (!done && performance.now() - begun - (heart.lostMs - lost) < PATIENCE_MS)
    await Promise.race([end, delay(500)]);
}

/** The final state once nothing can change any more: every task has ended, or should have. */
async function rest(fleet: Fleet): Promise<FinalState> {
  for (;;) {
    const final = await readFinal(fleet);
    const open = final.tasks.filter(
      ({ status, expiresAt }) => !hasEnded(status) && expiresAt + GRACE_MS + 500 > clock(),
    );
    const soon = open.filter(({ expiresAt }) => expiresAt < clock() + SHORT.task);
    if (soon.length === 0) return final;
    await delay(500);
  }
}

function judge(history: History, final: FinalState, unfinished: string[], times: string): Verdict {
  const violations = check(history.entries, final).map(({ invariant, what }) => `${invariant}: ${what}`);
  const count = (type: string) => history.entries.filter((entry) => entry.type === type).length;
  const ends = new Map<string, number>();
  for (const { errorCode, status } of final.tasks)
    ends.set(errorCode ?? status, (ends.get(errorCode ?? status) ?? 0) + 1);
  const told = [...ends].map(([end, times]) => `${times} ${end}`).join(', ');
  const figures =
    `${final.tasks.length} tasks (${told}), ${count('invoke')} requests, ${count('unknown')} of unknown outcome, ` +
    `${count('fault')} faults; ${times}`;
  return { violations, unfinished, figures };
}

/** How long each stage of a run took. */
class Stages {
  private since = performance.now();
  private readonly taken: string[] = [];

  end(stage: string): void {
    const now = performance.now();
    this.taken.push(`${stage} ${((now - this.since) / 1_000).toFixed(1)} s`);
    this.since = now;
  }

  get text(): string {
    return this.taken.join(', ');
  }
}
