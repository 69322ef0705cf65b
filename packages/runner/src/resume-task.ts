import type { CallerSchemaValidator } from '@baton/answer-validation';
import { ProgramRun, rewindProgram } from '@baton/engine';
import type { Operation } from '@baton/operations';
import { BatonError, MAX_JOURNAL_BYTES, toBatonError } from '@baton/protocol';
import type { Wait } from '@baton/store';
import type { FencedSegment, WorkerShard } from '@baton/store/shards';
import { SegmentJournal } from './segment-journal.ts';
import { openWaitsOrFailOversized } from './open-waits.ts';
import {
  isLocalEffect,
  type LocalEffect,
  performLocalEffect,
  type SegmentContext,
  StaleSegmentError,
} from './perform-local-effect.ts';
import type { Programs } from './programs.ts';
import { completedStructuredContent } from './completed-structured-content.ts';
import { collectWaits } from './collect-waits.ts';

/** How a segment ended. */
export type SegmentEnd =
  /** `held`: this process lacks the program, and the task waits for a worker that has it. */
  | { readonly kind: 'completed' | 'held' | 'stale' }
  /** `repeats`: of its requests so many ask again what an answer was of no use for. */
  | { readonly kind: 'parked'; readonly repeats: number }
  | { readonly kind: 'failed'; readonly code: string }
  /**
   * It was interrupted. `retry`: another run may succeed. `postponed`: a later run will, and this one is no fault of the
   * task: Redis rejects writes (it is full, say), or the tenant's answers wait to be checked. `broken`: no run would
   * succeed, and the task has failed with this error.
   */
  | { readonly kind: 'retry' | 'postponed' | 'broken'; readonly error: BatonError };

/** A task whose runs have died with their worker so many times fails. */
export const MAX_TRIES = 8;

/**
 * Runs the segments of a task from its journal until it parks or ends. Never throws for what a program does; throws
 * `unavailable` when Redis does not answer. `final` means that BullMQ will not retry: a `retry` then fails the task.
 */
export async function resumeTask(
  programs: Programs,
  check: CallerSchemaValidator,
  shard: WorkerShard,
  loaded: FencedSegment,
  final: boolean,
  log: (event: string, facts: object) => void,
): Promise<SegmentEnd> {
  for (let segment: FencedSegment | undefined = loaded; segment; segment = await shard.reload(segment)) {
    try {
      const end = await runSegment(programs, check, segment);
      if (end !== 'again') return end;
    } catch (thrown) {
      if (thrown instanceof StaleSegmentError) return STALE;
      const { tenant, taskId, task } = segment;
      log('segment failed', { tenant, taskId, tries: task.tries, err: thrown });
      return endFailedSegment(segment, thrown, final);
    }
  }
  return STALE;
}

const STALE = { kind: 'stale' } as const;

async function runSegment(
  programs: Programs,
  check: CallerSchemaValidator,
  segment: FencedSegment,
): Promise<SegmentEnd | 'again'> {
  const { task } = segment;
  const program = programs.find(task.operation, task.version);
  if (program === undefined) return { kind: await segment.holdForProgram() };
  if (task.tries > MAX_TRIES) throw tooManyTries();
  assertJournalSize(task.journal);

  const beganAt = performance.now();
  const journal = new SegmentJournal(task.journal);
  const context = { validator: check, segment, journal, beganAt };
  if (task.toRewind) {
    await repeatChecks(program, context);
    const rewind = rewindProgram(program, task.input, journal.entries);
    if ((await segment.rewind(rewind.drops, rewind.journal)) === 'stale') return STALE;
    journal.rewind(rewind);
  }
  const run = new ProgramRun(program, task.input, journal.entries);
  for (;;) {
    const step = run.next();
    if (step.status === 'completed') {
      const result = completedStructuredContent(program.name, segment.taskId, step.result);
      return segmentEnd(await segment.settle({ status: 'completed', result }), { kind: 'completed' });
    }
    if (step.status === 'failed') {
      const error = step.thrown instanceof BatonError ? step.error : programFailure(program, step.thrown);
      return segmentEnd(await segment.settle({ status: 'failed', error }), failed(error));
    }
    journal.collapse(step.collapsed);
    const next = step.awaited.find(({ effect }) => isLocalEffect(effect));
    if (next !== undefined) {
      // Lookups depend on nothing: those of several branches are one round trip and one replay.
      const performed =
        next.effect.kind === 'lookup'
          ? step.awaited.filter(({ effect }) => effect.kind === 'lookup')
          : [next];
      await Promise.all(
        performed.map(({ path, effect }) => performLocalEffect(context, path, effect as LocalEffect)),
      );
      continue;
    }
    const asked = collectWaits(step.awaited, task.open, task.interactions);
    const end = await openWaitsOrFailOversized(journal, segment.roles, asked, (waits) =>
      segment.park({ ...journal.pendingWrite, waits }),
    );
    if (end === 'again') return end;
    if (end === 'parked') return { kind: end, repeats: asked.filter(asksAgain).length };
    if (end !== undefined) return { kind: end };
  }
}

/**
 * Makes the checks again whose outcomes went with the failure that they led to: by them the rewind knows the last answers that did not fit, and
 * that they are to be asked for anew.
 */
async function repeatChecks(program: Operation, context: SegmentContext): Promise<void> {
  const { segment, journal } = context;
  const run = new ProgramRun(program, segment.task.input, journal.entries);
  for (;;) {
    const step = run.next();
    if (step.status !== 'awaiting') return;
    const checks = step.awaited.filter(({ effect }) => effect.kind === 'check');
    if (checks.length === 0) return;
    for (const { path, effect } of checks) await performLocalEffect(context, path, effect as LocalEffect);
  }
}

function asksAgain(wait: Wait): boolean {
  return wait.kind !== 'sleep' && wait.request.call.attempt > 1;
}

function segmentEnd(reply: 'settled' | 'stale', end: SegmentEnd): SegmentEnd {
  return reply === 'stale' ? STALE : end;
}

const failed = ({ code }: { readonly code: string }) => ({ kind: 'failed', code }) as const;

/** Decides what an error does to the task: BullMQ runs it again, or the task fails with its reason. */
async function endFailedSegment(
  segment: FencedSegment,
  thrown: unknown,
  final: boolean,
): Promise<SegmentEnd> {
  const error = toBatonError(thrown);
  const rejectsWrites = error.code === 'unavailable' && error.details['taken'] === false;
  if (rejectsWrites || error.code === 'limit_checks')
    return (await segment.release()) === 'stale' ? STALE : { kind: 'postponed', error };
  if (error.code === 'limit_storage') {
    return segmentEnd(await segment.settle({ status: 'failed', error: error.toWire() }), failed(error));
  }
  const isPermanent =
    error.code === 'journal_too_large' || (error.code === 'internal' && thrown instanceof BatonError);
  if (isPermanent || final) {
    const reason = error.code === 'unavailable' ? tooManyTries() : error;
    return segmentEnd(await segment.settle({ status: 'failed', error: reason.toWire() }), {
      kind: 'broken',
      error,
    });
  }
  return (await segment.release()) === 'stale' ? STALE : { kind: 'retry', error };
}

function programFailure(program: Operation, thrown: unknown) {
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new BatonError(
    'internal',
    `The program '${program.name}' (version ${program.version}) failed: ${what}`,
  ).toWire();
}

function tooManyTries(): BatonError {
  return new BatonError(
    'internal',
    'The work was begun again and again and never got to its end. Start the call again; if it fails again, tell your operator.',
  );
}

function assertJournalSize(journal: ReadonlyMap<string, string>): void {
  let bytes = 0;
  for (const text of journal.values()) bytes += text.length;
  if (bytes <= MAX_JOURNAL_BYTES) return;
  throw new BatonError(
    'journal_too_large',
    `The answers and reads of this task have grown to ${bytes} characters; ${MAX_JOURNAL_BYTES} are allowed. Split the work.`,
  );
}
