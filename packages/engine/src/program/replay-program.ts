import { BatonError, type JsonObject, toBatonError, type WireError } from '@baton/protocol';
import { type Effect, isRemark, type Program, type ProgramDefinition, type Remark } from './effect.ts';
import { type Content, ResultContent, withContent } from './result-content.ts';
import { type Entry, formatEntry, type Journal, type Outcome, parseEntry } from './journal.ts';
import { Line, type Lines } from './line.ts';

/** An effect that the journal has no outcome for. */
export interface Awaited {
  readonly path: string;
  readonly effect: Exclude<Effect, { kind: 'all' } | Remark>;
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
 * A program that runs over a journal which grows meanwhile. Each step says where it stands, what it awaits or how it ended, and is
 * the one that a replay over the journal would give; where the program itself awaits an effect, and not one of its branches, it
 * goes on from there instead. Pure: the same program, input and journal give the same step, on any replica, any number of times.
 */
export class ProgramRun<Input> {
  private readonly program: ProgramDefinition<Input>;
  private readonly input: Input;
  private readonly journal: Journal;
  private replay: Replay | undefined;

  constructor(program: ProgramDefinition<Input>, input: Input, journal: Journal) {
    this.program = program;
    this.input = input;
    this.journal = journal;
  }

  /** @throws never; what the program throws is a `failed` step, named `internal` unless it is a BatonError. */
  next(): Step {
    if (this.replay?.goesOn !== true) this.replay = new Replay(this.journal);
    return this.replay.step(() => this.program.run(this.input));
  }
}

/** The same, and how far each line of effects came; none of a journal that is another program's. */
export function replayLines<Input>(
  program: ProgramDefinition<Input>,
  input: Input,
  journal: Journal,
): { readonly step: Step; readonly lines: Lines } {
  const replay = new Replay(journal);
  const step = replay.step(() => program.run(input));
  return { step, lines: replay.lines };
}

type Settled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: WireError; readonly thrown: unknown };

/** What a line of effects has been asked last, and awaits. */
interface Suspended {
  readonly program: Program<unknown>;
  readonly effect: Recorded;
}

class Replay {
  readonly lines = new Map<string, Line>();
  private awaited: Awaited[] = [];
  private collapsed: Collapse[] = [];
  private readonly journal: Journal;
  private readonly content = new ResultContent();
  /** Of the program itself. */
  private suspended: Suspended | undefined;

  constructor(journal: Journal) {
    this.journal = journal;
  }

  /** Whether the next step goes on from the last one. Branches do not: each is begun anew by the program that holds them. */
  get goesOn(): boolean {
    return this.suspended !== undefined && this.suspended.effect.kind !== 'all';
  }

  /** Runs the program from its start, or from where it was suspended. */
  step(start: () => Program<unknown>): Step {
    this.awaited = [];
    this.collapsed = [];
    let end: Settled | undefined;
    try {
      end = this.run(start, this.lines.get('') ?? new Line('', false), this.content, this.suspended);
    } catch (divergence) {
      // Thrown past the program, so that no program can catch it and go on over somebody else's journal.
      end = failure(divergence);
      this.lines.clear();
    }
    if (end === undefined) return { status: 'awaiting', awaited: this.awaited, collapsed: this.collapsed };
    if (!end.ok) return { status: 'failed', error: end.error, thrown: end.thrown };
    return { status: 'completed', result: withContent(end.value as JsonObject, this.content.content) };
  }

  /** Runs one line of effects as far as it goes; undefined when it awaits something. What it adds goes to `content`. */
  private run(
    start: () => Program<unknown>,
    line: Line,
    content: ResultContent,
    suspended?: Suspended,
  ): Settled | undefined {
    this.lines.set(line.prefix, line);
    let program: Program<unknown>;
    let resume = (): IteratorResult<Effect, unknown> => {
      program = suspended?.program ?? start();
      return suspended === undefined ? program.next() : { done: false, value: suspended.effect };
    };
    for (;;) {
      let turn: IteratorResult<Effect, unknown>;
      try {
        turn = resume();
      } catch (thrown) {
        return failure(thrown);
      }
      if (turn.done) return { ok: true, value: turn.value ?? null };
      if (isRemark(turn.value)) {
        const heard = this.hear(turn.value, line, content);
        resume = () => program.next(heard);
        continue;
      }
      const outcome = this.outcomeOf(turn.value, line, content);
      if (outcome === undefined) {
        if (line.prefix === '') this.suspended = { program: program!, effect: turn.value };
        return undefined;
      }
      resume = outcome.ok
        ? () => program.next(outcome.value)
        : () => program.throw(BatonError.fromWire(outcome.error));
    }
  }

  private hear(remark: Remark, line: Line, content: ResultContent): boolean | undefined {
    if (remark.kind === 'content') content.add(remark.blocks, remark.unread);
    else if (remark.kind === 'unusable') line.discardAnswer();
    else return line.reachCheckpoint(this.journal);
    return undefined;
  }

  private outcomeOf(effect: Recorded, line: Line, content: ResultContent): Outcome | undefined {
    const path = line.nextPath;
    const entry = this.journal.get(path);
    if (entry === undefined && effect.kind === 'all') return this.all(effect, line, content);
    if (entry !== undefined) {
      const outcome = this.recorded(entry, effect.kind, path, content);
      line.pass(effect, entry);
      return outcome;
    }
    if (this.under(path).length > 0) throw diverged('all', effect.kind, path);
    this.awaited.push({ path, effect: effect as Awaited['effect'] });
    return undefined;
  }

  private recorded(entry: Entry, kind: string, path: string, content: ResultContent): Outcome {
    if (entry.kind !== kind) throw diverged(entry.kind, kind, path);
    if (entry.content !== undefined) content.add(entry.content.blocks, entry.content.dropped);
    return entry;
  }

  private all(
    effect: Extract<Effect, { kind: 'all' }>,
    line: Line,
    content: ResultContent,
  ): Outcome | undefined {
    const path = line.nextPath;
    const added = new ResultContent();
    const ends: (Outcome | undefined)[] = [];
    const branches: Line[] = [];
    let unfinished = 0;
    for (const [index, start] of effect.branches.entries()) {
      if (unfinished >= effect.atOnce) break;
      const branch = new Line(`${path}.${index}.`, line.isTurn);
      branches.push(branch);
      const end = this.branch(start, `${path}.${index}`, branch, added);
      if (end === undefined) unfinished++;
      ends.push(end);
    }
    line.passAll(branches, unfinished === 0);
    if (unfinished > 0) return undefined;
    const failed = ends.find((end) => end?.ok === false);
    const outcome: Outcome = failed ?? { ok: true, value: ends.map((end) => (end?.ok ? end.value : null)) };
    const entry = entryOf(
      'all',
      outcome,
      added.content,
      branches.length > 0 && !branches.some(({ keeps }) => keeps),
    );
    this.collapse(path, entry);
    return this.recorded(entry, 'all', path, content);
  }

  private branch(
    start: () => Program<unknown>,
    path: string,
    line: Line,
    content: ResultContent,
  ): Outcome | undefined {
    const entry = this.journal.get(path);
    if (entry !== undefined) {
      line.passCollapsed(entry);
      return this.recorded(entry, 'branch', path, content);
    }
    const added = new ResultContent();
    const end = this.run(start, line, added);
    if (end === undefined) return undefined;
    const outcome: Outcome = end.ok ? end : { ok: false, error: end.error };
    // As the journal will give it back, so that a value that is not JSON is the same before and after it collapsed.
    const kept = parseEntry(formatEntry(entryOf('branch', outcome, added.content, !line.keeps)));
    // What failed behind something that is kept stays as it is: a retry goes on from there.
    if (line.isWhole || !line.keeps) this.collapse(path, kept);
    return this.recorded(kept, 'branch', path, content);
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

/** An effect that takes a path. */
type Recorded = Exclude<Effect, Remark>;

/** What a branch added is lost with it when it fails. */
function entryOf(
  kind: 'all' | 'branch',
  outcome: Outcome,
  content: Content | undefined,
  isRepeatable: boolean,
): Entry {
  if (!outcome.ok) return { ...outcome, kind };
  return {
    ...outcome,
    kind,
    ...(content !== undefined && { content }),
    ...(isRepeatable && { repeatable: true as const }),
  };
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
