import { type AgentAnswer, BatonError, toBatonError } from '@baton/protocol';
import {
  type Effect,
  isRemark,
  type Program,
  type ProgramDefinition,
  type Remark,
} from '../program/effect.ts';
import type { Awaited } from '../program/replay-program.ts';
import type { replayProgram } from './replay-program.ts';
import { type Entry, formatEntry, type Outcome, parseEntry } from '../program/journal.ts';
import { fnv1aHash } from './random-program.ts';

/** What can be seen of a run from outside: its requests by path, and its end as text. */
interface Run {
  readonly requests: ReadonlyMap<string, string>;
  readonly end: string;
}

type Asked = Awaited['effect'];

/** The outcome of an effect: a function of its kind and path and of the run's salt, never of when it is asked. */
export function deterministicOutcome(salt: number, path: string, { kind }: Asked): Entry {
  const n = fnv1aHash(`${salt} ${path}`);
  if (kind === 'lookup') return { kind, ok: true, value: { routes: 1 + (n % 3) } };
  if (kind === 'sleep') return { kind, ok: true, value: null };
  if (n % 20 === 0) return { kind, ok: false, error: { code: 'interaction_expired', message: `no ${n}`, n } };
  if (kind === 'check')
    return { kind, ok: true, value: n % 3 ? { ok: true, value: n } : { ok: false, problem: `${n}` } };
  return { kind, ok: true, value: kind === 'llm' ? ANSWERS[n % ANSWERS.length]?.(n) : { n } };
}

const ANSWERS: readonly ((n: number) => AgentAnswer)[] = [
  (n) => ({ status: 'success', data: { object: { n } } }),
  (n) => ({ status: 'success', data: { n } }),
  (n) => ({ status: 'success', data: { text: `\`\`\`json\n{"n":${n}}\n\`\`\`` } }),
  (n) => ({ status: 'success', data: { object: { n: `${n}` } } }),
  (n) => ({ status: 'error', errorDetails: { message: `${n}`, type: 'rate_limit_error' } }),
  (n) => ({ status: 'error', errorDetails: { message: `${n}`, type: 'authentication_error' } }),
];

/**
 * The uninterrupted run, as a program would run if effects were plain calls: no journal, no replay, branches one after
 * the other. What replay must not be told apart from.
 */
export function runWithoutFaults<I>(program: ProgramDefinition<I>, input: I, salt: number): Run {
  const requests = new Map<string, string>();

  function outcomeOf(effect: Exclude<Effect, Remark>, path: string): Outcome {
    if (effect.kind !== 'all') {
      requests.set(path, JSON.stringify(effect));
      return asKept(deterministicOutcome(salt, path, effect));
    }
    const ends = effect.branches.map((branch, index) => asKept(runLine(branch, `${path}.${index}.`)));
    return ends.find((end) => !end.ok) ?? { ok: true, value: ends.map((end) => end.ok && end.value) };
  }

  function runLine(start: () => Program<unknown>, prefix: string): Outcome {
    try {
      const line = start();
      let turn = line.next();
      for (let index = 0; !turn.done; ) {
        const { value: effect } = turn;
        if (isRemark(effect)) {
          turn = line.next();
          continue;
        }
        const outcome = outcomeOf(effect, `${prefix}${index++}`);
        turn = outcome.ok ? line.next(outcome.value) : line.throw(BatonError.fromWire(outcome.error));
      }
      return { ok: true, value: turn.value };
    } catch (thrown) {
      return { ok: false, error: toBatonError(thrown).toWire() };
    }
  }

  const end = runLine(() => program.run(input), '');
  return {
    requests,
    end: end.ok ? `completed ${JSON.stringify(end.value)}` : `failed ${JSON.stringify(end.error)}`,
  };
}

function asKept(outcome: Outcome): Outcome {
  return JSON.parse(
    JSON.stringify(outcome.ok ? { ok: true, value: outcome.value ?? null } : outcome),
  ) as Outcome;
}

/** What happened on the way, so that a test can tell that its runs were hard enough. */
export class FaultCounts {
  crashes = 0;
  collapses = 0;
  lostCollapses = 0;
  repeats = 0;
  lateRepeats = 0;
  completed = 0;
  failed = 0;
}

/**
 * The same program as replicas run it: nothing but journal texts from one step to the next, answers in random order
 * and some of them twice, crashes between a step and its being written, steps that are written in part.
 */
export function runWithFaults<I>(
  step: typeof replayProgram,
  program: ProgramDefinition<I>,
  input: I,
  salt: number,
  chance: () => number,
  happened = new FaultCounts(),
): Run {
  const store = new Map<string, string>();
  const requests = new Map<string, string>();
  const given = new Map<string, string>();
  const oneOf = <T>(some: readonly T[]) => some[Math.floor(chance() * some.length)] as T;

  for (let turns = 0; turns < 20_000; turns++) {
    const journal = new Map([...store].map(([path, text]) => [path, parseEntry(text)]));
    const stand = step(program, input, journal);
    if (stand.status !== 'awaiting') {
      happened[stand.status]++;
      const { status } = stand;
      return {
        requests,
        end: `${status} ${JSON.stringify(status === 'failed' ? stand.error : stand.result)}`,
      };
    }
    for (const { path, effect } of stand.awaited) record(path, effect);
    if (stand.awaited.length === 0) return { requests, end: 'waits for nothing' };

    if (chance() < 0.15) {
      happened.crashes++;
      continue;
    }
    for (const { path, entry, drop } of stand.collapsed) {
      if (chance() < 0.3) {
        happened.lostCollapses++;
        continue;
      }
      happened.collapses++;
      for (const gone of drop) store.delete(gone);
      store.set(path, formatEntry(entry));
    }
    for (let answers = 1 + Math.floor(chance() * 4); answers > 0; answers--) {
      const { path, effect } = oneOf(stand.awaited);
      const text = formatEntry(deterministicOutcome(salt, path, effect));
      store.set(path, text);
      given.set(path, text);
    }
    if (chance() < 0.1) repeat();
  }
  return { requests, end: 'never ends' };

  function record(path: string, effect: Asked): void {
    const request = JSON.stringify(effect);
    const before = requests.get(path) ?? request;
    if (given.has(path)) requests.set(path, `asked again, although answered: ${request}`);
    else requests.set(path, before === request ? request : `asked in two ways: ${before}, ${request}`);
  }

  /** An answer comes again, perhaps after what it belongs to has collapsed. */
  function repeat(): void {
    const [path, text] = oneOf([...given]);
    if (store.has(path)) happened.repeats++;
    else happened.lateRepeats++;
    store.set(path, text);
  }
}

/** Random numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
