import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlannedClient } from './clients/planned-client.ts';
import { checkHistory } from './checker/checker.ts';
import { type FinalState, hasEnded } from './checker/final-state.ts';
import { ProxiedDeployment } from './deployment/proxied-deployment.ts';
import { MachineStallRecorder } from './deployment/machine-stall-recorder.ts';
import { historyNow, History } from './checker/history.ts';
import { findProjectViolations } from '../harness/guards/stored-projects.ts';
import { DEADLINE_GRACE_MS } from './checker/deadlines.ts';
import { runNemesis } from './nemesis/nemesis.ts';
import { createClientPlans, SHORT_LIFETIMES } from './clients/client-plan.ts';
import { repeatAcceptedAnswers } from './clients/repeat-answers.ts';
import { readFinalState } from './deployment/read-final-state.ts';
import { createFaultSchedule } from './nemesis/fault-schedule.ts';

/** A run with unfinished clients is void: what they did not do could hide a loss. */
export interface SeedResult {
  readonly violations: readonly string[];
  readonly unfinishedClients: readonly string[];
  readonly figures: string;
}

/** The clients of a run start within this time. */
const WINDOW_MS = 13_000;

/** How long the clients may take after the last fault. */
const PATIENCE_MS = 30_000;

/** Runs the clients and the faults of a seed in parallel, then the checker. */
export async function runSeed(seed: number, count: number, entry: string): Promise<SeedResult> {
  const dir = await mkdtemp(join(tmpdir(), 'baton-history-'));
  const path = join(dir, `seed-${seed}.jsonl`);
  const history = new History(path);
  const gateways = [{}, {}, SHORT_LIFETIMES];
  const deployment = await ProxiedDeployment.start({ entry, gateways, workers: 2 }, history);
  const ended = new AbortController();
  let result: SeedResult | undefined;
  const stages = new StageTimer();
  const stallRecorder = new MachineStallRecorder(history);
  try {
    const clients = createClientPlans(seed, count, WINDOW_MS);
    const world = { deployment, history, ended: ended.signal };
    const running = Promise.all(
      clients.map(async (plan) => ((await new PlannedClient(plan, world).run()) ? [] : [plan.key])),
    );
    await runNemesis(deployment, createFaultSchedule(seed, gateways.length, 2), history);
    stages.end('faults');
    await waitForClients(running, stallRecorder);
    ended.abort();
    const unfinishedClients = (await running).flat();
    stages.end('clients');
    const final = await readSettledState(deployment);
    await repeatAcceptedAnswers(world, history.entries, clients);
    stages.end('reading');
    const { projects, violations } = await findProjectViolations(deployment.redis.url);
    const times = `${projects} projects held against the model; ${stages.text}${stallRecorder.text}`;
    const summary = summarize(history, final, unfinishedClients, times);
    result = { ...summary, violations: [...summary.violations, ...violations] };
    return result;
  } finally {
    ended.abort();
    stallRecorder.stop();
    await deployment.stop();
    await history.close();
    const good = result?.violations.length === 0 && result.unfinishedClients.length === 0;
    if (good) await rm(dir, { recursive: true });
    else console.log(`  history: ${path}`);
  }
}

/** Waits for the clients for PATIENCE_MS, not counting stalls of the machine. */
async function waitForClients(running: Promise<unknown>, stallRecorder: MachineStallRecorder): Promise<void> {
  let done = false;
  const end = running.then(() => {
    done = true;
  });
  const [begun, lost] = [performance.now(), stallRecorder.stalledMs];
  while (!done && performance.now() - begun - (stallRecorder.stalledMs - lost) < PATIENCE_MS)
    await Promise.race([end, delay(500)]);
}

/** The final state once every task has ended or should have. */
async function readSettledState(deployment: ProxiedDeployment): Promise<FinalState> {
  for (;;) {
    const final = await readFinalState(deployment);
    const open = final.tasks.filter(
      ({ status, expiresAt }) => !hasEnded(status) && expiresAt + DEADLINE_GRACE_MS + 500 > historyNow(),
    );
    const soon = open.filter(({ expiresAt }) => expiresAt < historyNow() + SHORT_LIFETIMES.task);
    if (soon.length === 0) return final;
    await delay(500);
  }
}

function summarize(
  history: History,
  final: FinalState,
  unfinishedClients: string[],
  times: string,
): SeedResult {
  const violations = checkHistory(history.entries, final).map(
    ({ invariant, what }) => `${invariant}: ${what}`,
  );
  const count = (type: string) => history.entries.filter((entry) => entry.type === type).length;
  const ends = new Map<string, number>();
  for (const { errorCode, status } of final.tasks)
    ends.set(errorCode ?? status, (ends.get(errorCode ?? status) ?? 0) + 1);
  const endings = [...ends].map(([end, times]) => `${times} ${end}`).join(', ');
  const figures =
    `${final.tasks.length} tasks (${endings}), ${count('invoke')} requests, ${count('unknown')} of unknown outcome, ` +
    `${count('fault')} faults; ${times}`;
  return { violations, unfinishedClients, figures };
}

/** How long each stage of a run took. */
class StageTimer {
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
