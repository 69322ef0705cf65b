import type { Evidence, Violation } from './evidence.ts';
import { type FinalTask, hasEnded } from './final-state.ts';

/** I1: an accepted answer resumes its task exactly once, and a start under one key starts one task. */
export function* checkExactlyOnce(evidence: Evidence): Generator<Violation> {
  yield* checkStarts(evidence);
  for (const task of evidence.final.tasks) yield* checkAttempts(evidence, task);
  yield* checkProjectWrites(evidence);
  const open = evidence.final.tasks.filter(({ status }) => !hasEnded(status)).length;
  const { openTasks } = evidence.final;
  if (openTasks !== open) {
    yield violation(
      `the tenant counts ${openTasks} tasks as open, and ${open} are: an end was counted more or less than once`,
    );
  }
}

function* checkStarts({ exchanges, final }: Evidence): Generator<Violation> {
  const byKey = new Map<string, Set<string>>();
  for (const { request, reply } of exchanges) {
    const taskId = reply?.task?.taskId;
    if (request.f !== 'start' || taskId === undefined) continue;
    byKey.set(request.key, (byKey.get(request.key) ?? new Set()).add(taskId));
  }
  for (const [key, ids] of byKey)
    if (ids.size > 1) yield violation(`the start '${key}' began ${ids.size} tasks: ${[...ids].join(', ')}`);
  const known = new Set([...byKey.values()].flatMap((ids) => [...ids]));
  const unknown = final.tasks.filter(({ taskId }) => !known.has(taskId));
  // A start whose reply was lost for good may have begun one.
  const unheard = new Set(
    exchanges.flatMap(({ request }) =>
      request.f === 'start' && !byKey.has(request.key) ? [request.key] : [],
    ),
  );
  if (unknown.length > unheard.size)
    yield violation(`${unknown.length} tasks that nobody was told of: ${unknown[0]?.taskId}, ...`);
}

/** Each turn of an LLM call is asked for once: the next one is opened by an answer to the one before, and by nothing else. */
function* checkAttempts({ sentAnswers }: Evidence, task: FinalTask): Generator<Violation> {
  const attempts = Math.max(0, ...task.interactions.map(({ attempt }) => attempt));
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const asked = task.interactions.filter((one) => one.attempt === attempt).length;
    const called = task.interactions.filter(
      (one) =>
        one.attempt === attempt - 1 &&
        one.status === 'answered' &&
        sentAnswers.get(one.interactionId)?.some(({ kind }) => kind === 'wrong' || kind === 'passing'),
    ).length;
    const most = attempt === 1 ? task.width : called;
    if (asked > most) {
      yield violation(
        `task ${task.taskId} asked ${asked} times for attempt ${attempt}, which ${most} answers called for`,
      );
    }
  }
}

/** What an answer puts into a project stands there once, and only one of two rival answers puts anything there. */
function* checkProjectWrites({ final, sentAnswers }: Evidence): Generator<Violation> {
  for (const [project, titles] of Object.entries(final.projects)) {
    const times = new Map<string, number>();
    for (const title of titles) times.set(title, (times.get(title) ?? 0) + 1);
    for (const [title, count] of times)
      if (count > 1) yield violation(`'${title}' stands ${count} times in project '${project}'`);
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
