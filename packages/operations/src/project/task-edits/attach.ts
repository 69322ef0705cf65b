import { type AttachableBlock, BatonError } from '@baton/protocol';
import type { CommandResult } from '../model/command-result.ts';
import type { Project } from '../model/project.ts';
import { requireSubtask, requireTask } from '../model/require-existing.ts';
import { formatTaskRef, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import { findTask, type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';
import { editTasksInTag } from './edit-tasks-in-tag.ts';
import { updateItemAt } from './update-item-at.ts';
import {
  type Attachment,
  ATTACHMENT_LIMITS,
  attachmentsOf,
  describeAttachment,
  hasForeignAttachments,
} from '../model/attachment.ts';

/** Takes attachments out of a task or subtask by their numbers, and then adds others. */
interface Attach {
  readonly id: string;
  readonly blocks: readonly AttachableBlock[];
  readonly remove: readonly number[];
  readonly tag?: string | undefined;
}

/** What commands that carry an answer attach to the item that it is about: as much as there is room for. */
export interface AnswerBlocks {
  readonly attachments?: readonly AttachableBlock[] | undefined;
}

/**
 * The project with the attachments changed. Nothing is changed where a part is refused.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `attachment_not_found`, `limit_size`,
 * `invalid_arguments` for an item whose field `attachments` a file has brought in another form.
 */
export function attach(project: Project | undefined, command: Attach, now: string): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, tag) => {
    const [ref] = parseTaskRefs(command.id) as [TaskRef];
    const task = requireTask({ tasks }, tag, ref);
    const item = ref.subtask === undefined ? task : requireSubtask(task, tag, ref);
    const id = formatTaskRef(ref);
    if (hasForeignAttachments(item)) throw foreignField(id);
    const had = attachmentsOf(item);
    const absent = command.remove.find((n) => !had.some((one) => one.n === n));
    if (absent !== undefined) throw noSuchAttachment(id, absent, had);
    const kept = had.filter(({ n }) => !command.remove.includes(n));
    const all = [...kept, ...numbered(had, command.blocks, now)];
    if (all.length > ATTACHMENT_LIMITS.perItem) throw tooMany(id, all.length);
    const changed = updateItemAt([task], ref, setAttachments(all));
    const length = changed.reduce((sum, after) => sum + attachedLength(after), 0);
    if (length > ATTACHMENT_LIMITS.lengthPerTask && length > attachedLength(task))
      throw tooLong(ref.task, length);
    return {
      tasks: tasks.map((one) => (one === task ? (changed[0] ?? one) : one)),
      outcome: { id, attachments: all.map(describeAttachment) },
    };
  });
}

/** The tasks with as many of an answer's blocks attached to the item at `ref` as there is room for, in their order. */
export function attachWhatFits(
  tasks: readonly Task[],
  ref: TaskRef,
  blocks: readonly AttachableBlock[] | undefined,
  now: string,
): readonly Task[] {
  if (blocks === undefined || blocks.length === 0) return tasks;
  const task = findTask(tasks, ref.task);
  if (task === undefined) return tasks;
  const room = Math.min(
    ATTACHMENT_LIMITS.lengthPerTask - attachedLength(task),
    TASK_LIMITS.taskLength - JSON.stringify(task).length,
  );
  return updateItemAt(tasks, ref, (item) => {
    if (hasForeignAttachments(item)) return item;
    const had = attachmentsOf(item);
    const fitting: Attachment[] = [];
    let length = 0;
    for (const one of numbered(had, blocks, now)) {
      const next = length + JSON.stringify(one).length + FIELD_LENGTH;
      if (had.length + fitting.length === ATTACHMENT_LIMITS.perItem || next > room) continue;
      length = next;
      fitting.push(one);
    }
    return fitting.length === 0 ? item : setAttachments([...had, ...fitting])(item);
  });
}

/** Of the field's name and a comma. */
const FIELD_LENGTH = 20;

/** An attachment by its number. @throws BatonError `attachment_not_found`, naming those that there are. */
export function requireAttachment(
  item: Readonly<Record<string, unknown>>,
  id: string,
  n: string,
): Attachment {
  const had = attachmentsOf(item);
  const found = had.find((one) => `${one.n}` === n);
  if (found === undefined) throw noSuchAttachment(id, n, had);
  return found;
}

/** Numbered on from the highest, as tasks are. */
function numbered(had: readonly Attachment[], blocks: readonly AttachableBlock[], now: string): Attachment[] {
  const highest = had.reduce((most, { n }) => Math.max(most, n), 0);
  return blocks.map((block, at) => ({ n: highest + at + 1, added: now, block }));
}

function setAttachments(attachments: readonly Attachment[]) {
  return <T extends Task | Subtask>(item: T): T => {
    const { attachments: _, ...others } = item as T & { attachments?: unknown };
    return (attachments.length === 0 ? others : { ...others, attachments }) as T;
  };
}

function attachedLength(task: Task): number {
  return [task, ...task.subtasks].reduce((sum, item) => {
    const attachments = attachmentsOf(item);
    return attachments.length === 0 ? sum : sum + JSON.stringify(attachments).length;
  }, 0);
}

function noSuchAttachment(id: string, n: number | string, had: readonly Attachment[]): BatonError {
  const known = had.map((one) => one.n).join(', ') || 'none';
  return new BatonError(
    'attachment_not_found',
    `${id} has no attachment ${String(n).slice(0, 40)}; it has: ${known}.`,
    { id, n: String(n).slice(0, 40) },
  );
}

function foreignField(id: string): BatonError {
  return new BatonError(
    'invalid_arguments',
    `id: ${id} came from a file with a field 'attachments' of another form, which stays as it is: import it without that field.`,
    { field: 'id', id },
  );
}

function tooMany(id: string, would: number): BatonError {
  const { perItem } = ATTACHMENT_LIMITS;
  return new BatonError(
    'limit_size',
    `${id} would have ${would} attachments; ${perItem} are allowed. Remove some by their numbers.`,
    { id, limit: 'attachments', most: perItem },
  );
}

function tooLong(task: number, would: number): BatonError {
  const most = ATTACHMENT_LIMITS.lengthPerTask;
  return new BatonError(
    'limit_size',
    `The attachments of task ${task} and its subtasks would be ${would} characters of JSON; ${most} are allowed. Attach a link (resource_link) instead.`,
    { id: `${task}`, limit: 'attachmentsLength', most },
  );
}
