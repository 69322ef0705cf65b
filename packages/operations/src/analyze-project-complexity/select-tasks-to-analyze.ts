import { BatonError } from '@baton/protocol';
import { parseTaskRefs, requireTask, type Status, type Task } from '../project/index.ts';

/** The statuses whose tasks are judged, those of claude-task-master. */
const ACTIVE: ReadonlySet<Status> = new Set(['pending', 'in-progress', 'blocked']);

interface Selection {
  readonly ids?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A task that was named, and is not judged for its status. */
type NotAnalyzed = { readonly id: number; readonly status: Status };

/**
 * The tasks to judge, and of those that were named the ones whose status keeps them from it.
 *
 * @throws BatonError `project_task_not_found`, `invalid_arguments`.
 */
export function selectTasksToAnalyze(
  tasks: readonly Task[],
  tag: string,
  selection: Selection,
): { readonly analyzed: Task[]; readonly skipped: NotAnalyzed[] } {
  const selected = selectTasks(tasks, tag, selection);
  const left = selection.ids === undefined ? [] : selected.filter(({ status }) => !ACTIVE.has(status));
  return {
    analyzed: selected.filter(({ status }) => ACTIVE.has(status)),
    skipped: left.map(({ id, status }) => ({ id, status })),
  };
}

function selectTasks(tasks: readonly Task[], tag: string, { ids, from, to }: Selection): Task[] {
  if (ids !== undefined) {
    const refs = parseTaskRefs(ids, 'ids');
    const part = refs.find(({ subtask }) => subtask !== undefined);
    if (part !== undefined)
      throw new BatonError(
        'invalid_arguments',
        `ids: ${part.task}.${part.subtask} is a subtask; name whole tasks.`,
        {
          field: 'ids',
        },
      );
    const named = new Set(refs.map((ref) => requireTask({ tasks }, tag, ref).id));
    return tasks.filter(({ id }) => named.has(id));
  }
  if (from !== undefined && to !== undefined && from > to)
    throw new BatonError('invalid_arguments', `from: ${from} comes after to, which is ${to}.`, {
      field: 'from',
    });
  return tasks.filter(({ id }) => id >= (from ?? 0) && id <= (to ?? Number.POSITIVE_INFINITY));
}
