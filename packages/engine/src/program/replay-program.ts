import { BatonError, type JsonObject, toBatonError, type WireError } from '@baton/protocol';
import type { Effect, Program, ProgramDefinition } from './effect.ts';
import { type Entry, formatEntry, type Journal, type Outcome, parseEntry } from './journal.ts';

/** An effect that the journal has no outcome for. */
export interface Awaited {
  readonly path: string;
  readonly effect: Exclude<Effect, { kind: 'all' }>;
}

/** A finished branch: its value stands for all entries under it, which `drop` names. */
export interface Collapse {
  readonly path: string;
  readonly entry: Entry;
  readonly drop: readonly string[];
}

export type Step =
  | {
      readonly status: 'awaiting';
      readonly awaited: readonly Awaited[];
      readonly collapsed: readonly Collapse[];
    }
  | { readonly status: 'completed'; readonly result: JsonObject }
  | { readonly status: 'failed'; readonly error: WireError; readonly thrown: unknown };

/**
 * Replays a program over its journal and says where it stands: what it awaits, or how it ended. Pure: the same
 * program, input and journal give the same step, on any replica, any number of times.
 *
 * @throws never; what the program throws is a `failed` step, named `internal` unless it is a BatonError.
 */
export function replayProgram<Input>(
  program: ProgramDefinition<Input>,
  input: Input,
  journal: Journal,
): Step {
  const replay = new Replay(journal);
  let end: Settled | undefined;
  try {
    end = replay.run(() => program.run(input), '');
  } catch (divergence) {
    // Thrown past the program, so that no program can catch it and go on over somebody else's journal.
    end = failure(divergence);
  }
  if (end === undefined) return { status: 'awaiting', awaited: replay.awaited, collapsed: replay.collapsed };
  if (end.ok) return { status: 'completed', result: end.value as JsonObject };
  return { status: 'failed', error: end.error, thrown: end.thrown };
}

type Settled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: WireError; readonly thrown: unknown };

class Replay {
  readonly awaited: Awaited[] = [];
  collapsed: Collapse[] = [];
  private readonly journal: Journal;

  constructor(journal: Journal) {
    this.journal = journal;
  }

  /** Runs one line of effects as far as it goes; undefined when it awaits something. */
  run(start: () => Program<unknown>, prefix: string): Settled | undefined {
    let program: Program<unknown>;
    let resume = () => {
      program = start();
      return program.next();
    };
    for (let index = 0; ; index++) {
      let turn: IteratorResult<Effect, unknown>;
      try {
        turn = resume();
      } catch (thrown) {
        return failure(thrown);
      }
      if (turn.done) return { ok: true, value: turn.value ?? null };
      const outcome = this.outcomeOf(turn.value, prefix + index);
      if (outcome === undefined) return undefined;
      resume = outcome.ok
        ? () => program.next(outcome.value)
        : () => program.throw(BatonError.fromWire(outcome.error));
    }
  }

  private outcomeOf(effect: Effect, path: string): Outcome | undefined {
    const entry = this.journal.get(path);
    if (entry !== undefined) return expectKind(entry, effect.kind, path);
    if (effect.kind === 'all') return this.all(effect, path);
    if (this.under(path).length > 0) throw diverged('all', effect.kind, path);
    this.awaited.push({ path, effect });
    return undefined;
  }

  private all(effect: Extract<Effect, { kind: 'all' }>, path: string): Outcome | undefined {
    const ends: (Outcome | undefined)[] = [];
    let unfinished = 0;
    for (const [index, branch] of effect.branches.entries()) {
      if (unfinished >= effect.atOnce) return undefined;
      const end = this.branch(branch, `${path}.${index}`);
      if (end === undefined) unfinished++;
      ends.push(end);
    }
    if (unfinished > 0) return undefined;
    const failed = ends.find((end) => end?.ok === false);
    const outcome: Outcome = failed ?? { ok: true, value: ends.map((end) => (end?.ok ? end.value : null)) };
    this.collapse(path, { ...outcome, kind: 'all' });
    return outcome;
  }

  private branch(start: () => Program<unknown>, path: string): Outcome | undefined {
    const entry = this.journal.get(path);
    if (entry !== undefined) return expectKind(entry, 'branch', path);
    const end = this.run(start, `${path}.`);
    if (end === undefined) return undefined;
    const outcome: Outcome = end.ok ? end : { ok: false, error: end.error };
    // As the journal will give it back, so that a value that is not JSON is the same before and after it collapsed.
    const kept = parseEntry(formatEntry({ ...outcome, kind: 'branch' }));
    this.collapse(path, kept);
    return kept;
  }

  /** Lets `entry` stand for everything under `path`; what was collapsed further in goes with it. */
  private collapse(path: string, entry: Entry): void {
    const drop = this.under(path);
    if (drop.length === 0) return;
    this.collapsed = this.collapsed.filter((inner) => !inner.path.startsWith(`${path}.`));
    this.collapsed.push({ path, entry, drop });
  }

  private under(path: string): string[] {
    return [...this.journal.keys()].filter((other) => other.startsWith(`${path}.`));
  }
}

function expectKind(entry: Entry, kind: string, path: string): Outcome {
  if (entry.kind === kind) return entry;
  throw diverged(entry.kind, kind, path);
}

function diverged(recorded: string, asked: string, path: string): BatonError {
  return new BatonError(
    'program_diverged',
    `The journal holds the outcome of '${recorded}' at ${path}, where this version of the program asks for '${asked}'. ` +
      'The task was started by another version; start it again.',
  );
}

function failure(thrown: unknown): Settled {
  return { ok: false, error: toBatonError(thrown).toWire(), thrown };
}
