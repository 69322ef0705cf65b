import { BatonError } from '@baton/protocol';
import { parseTaskRefs, requireTask, type Status, type Task } from '../project/index.ts';

/** What is open is judged; the rest only when it is named. */
const OPEN: ReadonlySet<Status> = new Set(['pending', 'in-progress', 'blocked', 'review']);

export interface Selection {
  readonly ids?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The tasks to judge. @throws BatonError `project_task_not_found`, `invalid_arguments`. */
export function selectTasksToAnalyze(
  tasks: readonly Task[],
  tag: string,
  { ids, from, to }: Selection,
): Task[] {
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
  return tasks.filter(
    ({ id, status }) => OPEN.has(status) && id >= (from ?? 0) && id <= (to ?? Number.POSITIVE_INFINITY),
  );
}
