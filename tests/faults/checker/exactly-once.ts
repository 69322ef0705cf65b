import type { HistoryIndex } from './history-index.ts';
import type { Violation } from './violation.ts';
import { type FinalTask, hasEnded } from './final-state.ts';

/** I1: an accepted answer resumes its task exactly once, and a start under one key starts one task. */
export function* checkExactlyOnce(index: HistoryIndex): Generator<Violation> {
  yield* checkStarts(index);
  for (const task of index.final.tasks) yield* checkAttempts(index, task);
  yield* checkProjectWrites(index);
  const open = index.final.tasks.filter(({ status }) => !hasEnded(status)).length;
  const { openTasks } = index.final;
  if (openTasks !== open) {
    yield violation(
      `the tenant counts ${openTasks} tasks as open, and ${open} are: an end was counted more or less than once`,
    );
  }
}

function* checkStarts({ exchanges, final }: HistoryIndex): Generator<Violation> {
  const byKey = new Map<string, Set<string>>();
  for (const { request, reply } of exchanges) {
    const taskId = reply?.task?.taskId;
    if (request.f !== 'start' || taskId === undefined) continue;
    byKey.set(request.key, (byKey.get(request.key) ?? new Set()).add(taskId));
  }
  for (const [key, ids] of byKey)
    if (ids.size > 1) yield violation(`the start '${key}' began ${ids.size} tasks: ${[...ids].join(', ')}`);
  const reportedIds = new Set([...byKey.values()].flatMap((ids) => [...ids]));
  const unreported = final.tasks.filter(({ taskId }) => !reportedIds.has(taskId));
  // A start without any reply may have created a task.
  const startsWithoutReply = new Set(
    exchanges.flatMap(({ request }) =>
      request.f === 'start' && !byKey.has(request.key) ? [request.key] : [],
    ),
  );
  if (unreported.length > startsWithoutReply.size)
    yield violation(`${unreported.length} tasks that no reply reported: ${unreported[0]?.taskId}, ...`);
}

/** Each attempt of an LLM call is requested once: the next attempt only after a wrong answer or a retried error. */
function* checkAttempts({ sentAnswers }: HistoryIndex, task: FinalTask): Generator<Violation> {
  const attempts = Math.max(0, ...task.interactions.map(({ attempt }) => attempt));
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const requested = task.interactions.filter((one) => one.attempt === attempt).length;
    const expected = task.interactions.filter(
      (one) =>
        one.attempt === attempt - 1 &&
        one.status === 'answered' &&
        sentAnswers.get(one.interactionId)?.some(({ kind }) => kind === 'wrong' || kind === 'passing'),
    ).length;
    const most = attempt === 1 ? task.width : expected;
    if (requested > most) {
      yield violation(
        `task ${task.taskId} requested attempt ${attempt} ${requested} times instead of at most ${most}`,
      );
    }
  }
}

/** A project contains what an answer adds once, and the additions of at most one of two rival answers. */
function* checkProjectWrites({ final, sentAnswers }: HistoryIndex): Generator<Violation> {
  for (const [project, titles] of Object.entries(final.projects)) {
    const times = new Map<string, number>();
    for (const title of titles) times.set(title, (times.get(title) ?? 0) + 1);
    for (const [title, count] of times)
      if (count > 1) yield violation(`'${title}' is ${count} times in project '${project}'`);
    for (const [interactionId, rivals] of sentAnswers) {
      const landed = rivals.filter(({ mark }) => times.has(mark));
      if (landed.length > 1)
        yield violation(`${landed.length} answers to ${interactionId} landed in project '${project}'`);
    }
  }
}

function violation(what: string): Violation {
  return { invariant: 'I1', what };
}
