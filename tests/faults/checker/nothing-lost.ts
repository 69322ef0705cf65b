import type { HistoryIndex } from './history-index.ts';
import type { Violation } from './violation.ts';
import { type FinalTask, hasEnded } from './final-state.ts';
import { DEADLINE_GRACE_MS } from './deadlines.ts';

/** I2: nothing accepted is lost: every task that waits for no answer has ended, for a reason that the clients caused. */
export function* checkNothingLost(index: HistoryIndex): Generator<Violation> {
  const titles = new Set(Object.values(index.final.projects).flat());
  for (const task of index.final.tasks) {
    if (!hasEnded(task.status)) {
      const waits = task.interactions.some(({ status }) => status === 'pending');
      const due = task.expiresAt + DEADLINE_GRACE_MS < index.final.readAt;
      if (!waits && !due)
        yield violation(task, `is ${task.status}, waits for no answer, and does not continue`);
    } else if (task.status === 'completed') {
      yield* checkResult(index, task, titles);
    } else {
      const why = unexplainedFailure(index, task);
      if (why !== undefined) yield violation(task, why);
    }
  }
}

/** A result contains one posted answer per LLM call, and its project contains what the result reports. */
function* checkResult(
  index: HistoryIndex,
  task: FinalTask,
  titles: ReadonlySet<string>,
): Generator<Violation> {
  const end = task.end ?? '';
  const used = index
    .sentAnswersTo(task)
    .filter(({ kind, mark }) => kind === 'right' && end.includes(`"${mark}"`));
  if (used.length !== task.width)
    yield violation(task, `completed with ${used.length} of its answers instead of ${task.width}`);
  if (task.operation !== 'parse_prd') return;
  for (const { mark } of used)
    if (!titles.has(mark)) yield violation(task, `completed, and '${mark}' is not in its project`);
}

/** Why a failure is not explained by what the clients sent; undefined when it is. */
function unexplainedFailure(index: HistoryIndex, task: FinalTask): string | undefined {
  const kinds = index.sentAnswersTo(task).map(({ kind }) => kind);
  const count = (kind: string) => kinds.filter((one) => one === kind).length;
  switch (task.errorCode) {
    case 'task_cancelled':
      return index.cancelled.has(task.taskId) ? undefined : 'is cancelled, which no client requested';
    case 'task_expired':
      return undefined; // whether the deadline had passed is checked by I3
    case 'interaction_expired':
      return task.interactions.some(({ status }) => status === 'expired')
        ? undefined
        : 'failed with interaction_expired, and no interaction of it has expired';
    case 'agent_error':
      return count('fatal') > 0 || count('passing') > 2
        ? undefined
        : 'failed with agent_error, which no answer reported';
    case 'answer_invalid':
      return count('wrong') > 3
        ? undefined
        : `failed with answer_invalid after ${count('wrong')} wrong answers`;
    default:
      return `ended as ${task.status} with '${task.errorCode}', which no client caused: ${task.end}`;
  }
}

function violation({ taskId, operation }: FinalTask, what: string): Violation {
  return { invariant: 'I2', what: `task ${taskId} (${operation}) ${what}` };
}
