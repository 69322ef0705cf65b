import { BatonError } from '@baton/protocol';
import { MAX_ID } from './task-id.ts';

/** `project_task_done`: done work is not changed. */
export function taskDoneError(tag: string, id: string): BatonError {
  const what = id.includes('.') ? 'Subtask' : 'Task';
  return new BatonError(
    'project_task_done',
    `${what} ${id} of tag '${tag}' is done and is left as it is. To work on it again set its status first, with set_task_status.`,
    { id, tag },
  );
}

/** Of a task or subtask that was there when the LLM was asked; another one may have its id by now. */
export function taskRemovedError(tag: string, id: string): BatonError {
  return new BatonError(
    'project_task_not_found',
    `${id.includes('.') ? 'Subtask' : 'Task'} ${id} was removed from tag '${tag}' while the LLM was at work. Nothing was changed.`,
    { id, tag },
  );
}

export function unknownDependencyError(tag: string, id: string): BatonError {
  return new BatonError(
    'project_task_not_found',
    `dependencies: tag '${tag}' has no task or subtask ${id}. Nothing was changed.`,
    { id, tag, field: 'dependencies' },
  );
}

/** `tag_not_empty`, naming the count and both ways out. */
export function tagNotEmptyError(tag: string, count: number): BatonError {
  return new BatonError(
    'tag_not_empty',
    `Tag '${tag}' already has ${count} ${count === 1 ? 'task' : 'tasks'}. ` +
      'Set append to add to them, force to replace them, or name another tag.',
    { tag, count },
  );
}

const MOST_SHOWN = 20;

/** `dependency_cycle` for a dependency that would close a cycle: `chain` begins and ends with the same id. */
export function dependencyCycleError(chain: readonly string[]): BatonError {
  const shown =
    chain.length <= MOST_SHOWN
      ? chain.join(' → ')
      : `${chain.slice(0, MOST_SHOWN - 1).join(' → ')} → … → ${chain.at(-1)}`;
  const what = chain.length <= 2 ? 'would depend on itself' : 'would wait for each other';
  return new BatonError(
    'dependency_cycle',
    `${shown}: ${chain.length <= 2 ? chain[0] : 'these'} ${what}. Nothing was changed.`,
    { chain: [...chain] },
  );
}

/** `limit_size`: ids are counted on from the highest, `of`, and there are none above it. */
export function noHigherIdError(of: string): BatonError {
  return new BatonError(
    'limit_size',
    `New ids are counted on from the highest, ${of}, and may be ${MAX_ID} at most. Nothing was changed. Give it a lower id first (move_task).`,
    { limit: 'id', most: MAX_ID },
  );
}
