import type { AnswerKind } from '../checker/history.ts';
import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts';

/** What one client does, decided before the run; faults may delay it and never change it. */
export interface ClientPlan {
  readonly key: string;
  /** Milliseconds after the start of the run. */
  readonly startAt: number;
  /** Starts its task on the gateway whose tasks live for seconds. */
  readonly short: boolean;
  readonly call: { readonly tool: string; readonly args: object };
  /** Its answers by attempt; the last is repeated. Empty: it never answers. */
  readonly answers: readonly AnswerKind[];
  readonly twice: 'no' | 'same' | 'different';
  /** Pause before each answer, in milliseconds. */
  readonly think: number;
  /** `waitMs` of its answers. */
  readonly waitMs: number;
  /** Milliseconds after the start at which it cancels the task; undefined: never. */
  readonly cancelAfter: number | undefined;
}

const PROJECTS = 16;

/** Lifetimes at the gateway for short-lived tasks, in milliseconds. */
export const SHORT_LIFETIMES = { task: 4_000, interaction: 2_000 };

/** The clients of a run, spread over `window` milliseconds. The same seed gives the same clients. */
export function createClientPlans(seed: number, count: number, window: number): ClientPlan[] {
  const random = seededRandom(`clients of ${seed}`);
  return Array.from({ length: count }, (_, n) =>
    createPlan(random, `s${seed}-t${n}`, (n * window) / count, n, count),
  );
}

function createPlan(
  random: SeededRandom,
  key: string,
  startAt: number,
  n: number,
  count: number,
): ClientPlan {
  // Short-lived tasks near the end would only make the run longer.
  const short = random.chance(0.25) && n < count * 0.7;
  const late = short && random.chance(0.3);
  const silent = short && !late && random.chance(0.3);
  return {
    key,
    startAt: Math.round(startAt),
    short,
    call: drawCall(random, key, silent),
    answers: silent ? [] : drawAnswers(random),
    twice: random.pick(['no', 'no', 'same', 'different'] as const),
    think: late
      ? SHORT_LIFETIMES.interaction + random.below(800)
      : random.below(random.chance(0.2) ? 2_000 : 300),
    waitMs: random.pick([0, 500, 3_000]),
    cancelAfter: random.chance(0.07) ? random.below(1_000) : undefined,
  };
}

function drawCall(random: SeededRandom, key: string, silent: boolean): ClientPlan['call'] {
  const kind = random.below(100);
  if (kind < 40) return { tool: 'bench_echo', args: { text: key } };
  if (kind < 55) return { tool: 'bench_fan', args: { n: 2 + random.below(3) } };
  if (kind < 65) return { tool: 'bench_sleep', args: { ms: silent ? 60_000 : random.below(800), text: key } };
  if (kind < 75) {
    const requestParameters = { messages: [{ role: 'user', content: key }] };
    const delegatedCallDetails = { originalCommand: key, serviceType: 'generateText', requestParameters };
    return { tool: 'agent_llm', args: { delegatedCallDetails } };
  }
  const project = `p${random.below(PROJECTS)}`;
  return {
    tool: 'parse_prd',
    args: { prd: `Document ${key}.`, numTasks: 1, append: true, projectRoot: project },
  };
}

function drawAnswers(random: SeededRandom): AnswerKind[] {
  const kind = random.below(100);
  if (kind < 70) return ['right'];
  if (kind < 82) return ['wrong', 'right'];
  if (kind < 86) return ['wrong', 'wrong', 'right'];
  if (kind < 88) return ['wrong'];
  if (kind < 93) return ['passing', 'right'];
  if (kind < 96) return ['fatal'];
  return ['malformed', 'right'];
}
