import type { AnswerCheck } from '@baton/answers';
import { advance, formatEntry, type Outcome } from '@baton/engine';
import type { Command, Operation } from '@baton/operations';
import { BatonError, MAX_JOURNAL_BYTES, toBatonError } from '@baton/protocol';
import type { Segment, Shard } from '@baton/store/shards';
import { HeldProjects } from './held-projects.ts';
import { changeProject } from './project-change.ts';
import { unlessOversized } from './oversized.ts';
import type { Programs } from './programs.ts';
import { Recording } from './recording.ts';
import { finishedResult } from './result.ts';
import { type Immediate, isImmediate, waitsOf } from './waits.ts';

/** How a segment ended. */
export type SegmentEnd =
  /** `held`: this process lacks the program, and the task waits for one that has it. */
  | { readonly kind: 'parked' | 'completed' | 'failed' | 'held' | 'stale' }
  /**
   * It did not come to its end. `retry`: another run may help; `refused`: Redis takes nothing now, say because it is full,
   * which is no fault of the task; `broken`: no run would help, and the task has failed with this error.
   */
  | { readonly kind: 'retry' | 'refused' | 'broken'; readonly error: BatonError };

/** A task whose segments were begun so many times and never came to an end, since their worker died, has failed. */
export const MAX_TRIES = 8;

/** Another holder has the task: whatever this one knows is void. */
class Stale extends Error {}

/**
 * Runs the segments of a task from where it stands until it awaits someone outside or ends. Never throws for what a
 * program does; throws `unavailable` when Redis does not answer. With `final` nobody runs it again: what would be `retry`
 * ends the task.
 */
export async function resumeTask(
  programs: Programs,
  check: AnswerCheck,
  shard: Shard,
  loaded: Segment,
  final: boolean,
  log: (event: string, facts: object) => void,
): Promise<SegmentEnd> {
  for (let segment: Segment | undefined = loaded; segment; segment = await shard.reload(segment)) {
    try {
      const end = await runSegment(programs, check, segment);
      if (end !== 'again') return end;
    } catch (thrown) {
      if (thrown instanceof Stale) return STALE;
      const { tenant, taskId, state } = segment;
      log('segment failed', { tenant, taskId, tries: state.tries, err: thrown });
      return failSegment(segment, thrown, final);
    }
  }
  return STALE;
}

const STALE = { kind: 'stale' } as const;

async function runSegment(
  programs: Programs,
  check: AnswerCheck,
  segment: Segment,
): Promise<SegmentEnd | 'again'> {
  const { state } = segment;
  const program = programs.find(state.operation, state.version);
  if (program === undefined) return { kind: await segment.hold() };
  if (state.tries > MAX_TRIES) throw tooOften();
  refuseTooLarge(state.journal);

  const recording = new Recording(state.journal);
  const projects = new HeldProjects((name) => segment.readProject(name));
  for (;;) {
    const step = advance(program, state.input, recording.journal);
    if (step.status === 'completed') {
      const result = finishedResult(program.name, segment.taskId, step.result);
      return settled(await segment.settle({ status: 'completed', result }), 'completed');
    }
    if (step.status === 'failed') {
      const error = step.thrown instanceof BatonError ? step.error : explain(program, step.thrown);
      return settled(await segment.settle({ status: 'failed', error }), 'failed');
    }
    recording.collapse(step.collapsed);
    const next = step.awaited.find(({ effect }) => isImmediate(effect));
    if (next !== undefined && isImmediate(next.effect)) {
      await carryOut({ check, segment, recording, projects }, next.path, next.effect);
      continue;
    }
    const waits = waitsOf(step.awaited, state.open, state.interactions);
    const end = await unlessOversized(recording, waits, () => segment.park({ ...recording.toSave, waits }));
    if (end === 'again') return end;
    if (end !== undefined) return { kind: end };
  }
}

/** What a segment works with. */
interface Bench {
  readonly check: AnswerCheck;
  readonly segment: Segment;
  readonly recording: Recording;
  readonly projects: HeldProjects;
}

async function carryOut(bench: Bench, path: string, effect: Immediate): Promise<void> {
  switch (effect.kind) {
    case 'read': {
      const select = effect.select as (project: unknown) => unknown;
      const outcome = await bench.projects.select(effect.project, select);
      bench.recording.add(path, { kind: 'read', ...outcome });
      return;
    }
    case 'check':
      bench.recording.add(path, { kind: 'check', ...(await checked(bench.check, effect)) });
      return;
    case 'commit':
      return commit(bench, path, effect.project, effect.command as Command);
  }
}

async function checked(
  check: AnswerCheck,
  { schema, data }: Extract<Immediate, { kind: 'check' }>,
): Promise<Outcome> {
  try {
    return { ok: true, value: await check.read(schema, data) };
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return { ok: false, error: thrown.toWire() };
  }
}

async function commit(
  { segment, recording, projects }: Bench,
  path: string,
  project: string,
  command: Command,
): Promise<void> {
  const { journal } = recording.toSave;
  let landed: string | undefined;
  try {
    await changeProject<'journaled'>(command, projects, project, async (before, change, outcome) => {
      const entry = formatEntry({ kind: 'commit', ok: true, value: outcome });
      landed = entry;
      const reply = await segment.commit(project, before, change, { path, entry, journal });
      if (reply === 'stale') throw new Stale();
      if (typeof reply === 'string') return reply;
      landed = reply.journaled;
      return 'journaled';
    });
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.row.repeat) throw thrown;
    recording.add(path, { kind: 'commit', ok: false, error: thrown.toWire() });
    return;
  }
  if (landed !== undefined) recording.addSaved(path, landed);
}

function settled(reply: 'settled' | 'stale', kind: 'completed' | 'failed'): SegmentEnd {
  return reply === 'stale' ? STALE : { kind };
}

/** What a bug or a passing failure does to a task: another run by BullMQ, and an end with its reason at the last. */
async function failSegment(segment: Segment, thrown: unknown, final: boolean): Promise<SegmentEnd> {
  const error = toBatonError(thrown);
  if (error.code === 'unavailable' && error.details['taken'] === false) {
    return (await segment.release()) === 'stale' ? STALE : { kind: 'refused', error };
  }
  const hopeless =
    error.code === 'journal_too_large' || (error.code === 'internal' && thrown instanceof BatonError);
  if (hopeless || final) {
    const reason = error.code === 'unavailable' ? tooOften() : error;
    const settled = await segment.settle({ status: 'failed', error: reason.toWire() });
    return settled === 'stale' ? STALE : { kind: 'broken', error };
  }
  return (await segment.release()) === 'stale' ? STALE : { kind: 'retry', error };
}

function explain(program: Operation, thrown: unknown) {
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new BatonError(
    'internal',
    `The program '${program.name}' (version ${program.version}) failed: ${what}`,
  ).toWire();
}

function tooOften(): BatonError {
  return new BatonError(
    'internal',
    'The work was begun again and again and never got to its end. Start the call again; if it fails again, tell your operator.',
  );
}

function refuseTooLarge(journal: ReadonlyMap<string, string>): void {
  let bytes = 0;
  for (const text of journal.values()) bytes += text.length;
  if (bytes <= MAX_JOURNAL_BYTES) return;
  throw new BatonError(
    'journal_too_large',
    `The answers and reads of this task have grown to ${bytes} characters; ${MAX_JOURNAL_BYTES} are allowed. Split the work.`,
  );
}
