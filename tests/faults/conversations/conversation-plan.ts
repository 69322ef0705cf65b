import type { AnsweredUsage, PlannedAnswer, PlannedCall, PlannedTurn } from './planned-turn.ts';
import type { PlannedFault } from '../../journey/faults/journey-plan.ts';
import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts';

export const TURNS = 20;
export const SPECIALISTS = ['coder', 'critic', 'researcher'] as const;
const [MOST_STEPS, MOST_CALLS] = [3, 3];

/** The turns of a conversation by a seed: what is said, and how the agents answer. */
export function planTurns(seed: number): PlannedTurn[] {
  const random = seededRandom(`conversation ${seed}`);
  return Array.from({ length: TURNS }, (_, at) => planTurn(at + 1, random));
}

/** The first turn begins the conversation, so it neither fails nor joins another. */
function planTurn(number: number, random: SeededRandom): PlannedTurn {
  const steps = random.below(MOST_STEPS + 1);
  const flawed = { error: flawedStep(steps, 0.25, random), blank: flawedStep(steps, 0.2, random) };
  const isRepeating = random.chance(0.2);
  const primary: PlannedAnswer[] = [];
  const calls: PlannedCall[][] = [];
  for (let step = 0; step <= steps; step++) {
    const key = `turn ${number} step ${step}`;
    if (flawed.error === step) primary.push(overloaded(`${key} overloaded`, random));
    if (flawed.blank === step) primary.push({ kind: 'blank', key, text: ' ', usage: drawUsage(random) });
    if (step === steps) break;
    const made = Array.from({ length: 1 + random.below(MOST_CALLS) }, (_, nth) =>
      planCall(`${key} call ${nth}`, `s${step}c${nth}`, random),
    );
    const [earlier] = calls[0] ?? [];
    if (isRepeating && step === 1 && earlier !== undefined)
      made.push(repeatOf(earlier, `s${step}again`, random));
    calls.push(made);
    const text = random.chance(0.3) ? `Asks others, ${key}.` : undefined;
    primary.push({ kind: 'calls', key, text, calls: made, usage: drawUsage(random) });
  }
  const fails = number > 1 && random.chance(0.12);
  const key = `turn ${number} end`;
  const usage = drawUsage(random);
  primary.push(
    fails
      ? { kind: 'refused', key, text: `Refused, ${key}.`, usage }
      : { kind: 'words', key, text: `Answer of ${key}.`, usage },
  );
  const joins = number > 2 && random.chance(0.25);
  return { number, message: `Message of turn ${number}`, joins, fails, primary, calls: calls.flat() };
}

const flawedStep = (steps: number, rate: number, random: SeededRandom) =>
  random.chance(rate) ? random.below(steps + 1) : -1;

/** Seven in ten go to a specialist that answers in words, some with a picture; the others fail, each in a way of its own. */
function planCall(question: string, id: string, random: SeededRandom): PlannedCall {
  const name = random.pick(SPECIALISTS);
  const call = { id, name, arguments: { message: question }, answers: [] as PlannedAnswer[] };
  const way = random.next();
  if (way < 0.08) return { ...call, name: 'nobody', end: { kind: 'unknown' } };
  if (way < 0.16) return { ...call, arguments: { text: question }, end: { kind: 'unfit' } };
  const answers = random.chance(0.1) ? [overloaded(`${question} overloaded`, random)] : [];
  const usage = drawUsage(random);
  if (way < 0.26) {
    const text = `Refused, ${question}.`;
    return {
      ...call,
      answers: [...answers, { kind: 'refused', key: question, text, usage }],
      end: { kind: 'failed', text },
    };
  }
  const text = `Answer of ${name} to ${question}.`;
  const image = random.chance(0.3) ? Buffer.from(`A drawing for ${question}`).toString('base64') : undefined;
  return {
    ...call,
    answers: [...answers, { kind: 'words', key: question, text, image, usage }],
    end: { kind: 'words', text, image },
  };
}

/** What had a result is not run again; what failed is, and fails again. */
function repeatOf(earlier: PlannedCall, id: string, random: SeededRandom): PlannedCall {
  if (earlier.end.kind === 'words') return { ...earlier, id, end: { kind: 'repeated' }, answers: [] };
  const answers = earlier.answers.slice(-1).map((answer) => ({ ...answer, usage: drawUsage(random) }));
  return { ...earlier, id, answers };
}

function overloaded(key: string, random: SeededRandom): PlannedAnswer {
  return { kind: 'overloaded', key, text: 'try later', usage: drawUsage(random) };
}

const drawUsage = (random: SeededRandom): AnsweredUsage => ({
  inputTokens: random.below(5_000),
  outputTokens: random.below(500),
});

/** Kills of workers and gateways at their commands, and lost replies: to workers at the end of a turn, and to the client. */
export function planFaults(seed: number): PlannedFault[] {
  const random = seededRandom(`faults of conversation ${seed}`);
  const draw = (times: number, what: PlannedFault['what'], event: PlannedFault['event'], within: number) =>
    Array.from({ length: times }, (_, n) => ({
      what,
      event,
      nth: 2 + Math.floor(((n + random.next()) / times) * (within - 2)),
    }));
  return [
    ...draw(3, 'kill', 'worker-command', 120),
    ...draw(3, 'kill', 'gateway-command', 300),
    ...draw(1, 'kill', 'turn-ended', 16),
    ...draw(3, 'lose-reply', 'turn-ended', 16),
    ...draw(4, 'drop-reply', 'operation-called', 60),
  ];
}
