import { BatonError } from '@baton/protocol';
import { type AnswerBlocks, attachWhatFits } from '../task-edits/attach.ts';
import { taskDoneError } from '../model/project-errors.ts';
import { type CommandResult, asJsonOutcome } from '../model/command-result.ts';
import { editTasksInTag } from '../task-edits/edit-tasks-in-tag.ts';
import { updateItemAt } from '../task-edits/update-item-at.ts';
import type { Project } from '../model/project.ts';
import type { SeenItems } from '../model/item-uid.ts';
import { requireSeen, requireSubtask, requireTask } from '../model/require-existing.ts';
import { type TaskMetadata, withMetadata } from '../model/task-metadata.ts';
import { formatTaskRef, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import { type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';

/** Adds a dated note to the details of a task or of a subtask, or fields to its metadata, or both. */
interface AppendInfo extends AnswerBlocks {
  readonly id: string;
  readonly text?: string;
  readonly metadata?: TaskMetadata | undefined;
  readonly seen?: SeenItems | undefined;
  readonly tag?: string | undefined;
}

/**
 * The project with the note added, dated by the commit, and the metadata merged. The outcome's `added` is the note.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `project_task_done`, `limit_size`.
 */
export function appendInfo(project: Project | undefined, command: AppendInfo, now: string): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, tag) => {
    const [ref] = parseTaskRefs(command.id) as [TaskRef];
    const task = requireTask({ tasks }, tag, ref);
    const item = ref.subtask === undefined ? task : requireSubtask(task, tag, ref);
    const id = formatTaskRef(ref);
    requireSeen(command.seen, tag, id, item);
    if (item.status === 'done') throw taskDoneError(tag, id);
    const note = command.text === undefined ? '' : dated(command.text, now);
    const details = [item.details, note].filter(Boolean).join('\n');
    if (details.length > TASK_LIMITS.detailsLength) throw tooLong(id, details.length);
    const noted = <T extends Task | Subtask>(before: T): T =>
      withMetadata(note === '' ? before : { ...before, details }, command.metadata);
    const changed = attachWhatFits(updateItemAt(tasks, ref, noted), ref, command.attachments, now);
    const whole = requireTask({ tasks: changed }, tag, ref);
    const after = ref.subtask === undefined ? whole : requireSubtask(whole, tag, ref);
    return {
      tasks: changed,
      outcome: asJsonOutcome({ id, added: note, changed: after !== item, item: after }),
    };
  });
}

function dated(text: string, now: string): string {
  return `<info added on ${now}>\n${withoutMarks(text)}\n</info added on ${now}>`;
}

/** A note that imitates the marks around notes would make later ones unreadable. */
function withoutMarks(text: string): string {
  // Behind the last `>` and its line break no mark ends: looking for one from each beginning would be quadratic.
  const end = text.lastIndexOf('>') + 2;
  return (text.slice(0, end).replaceAll(/<\/?info added on[^>]*>\n?/gi, '') + text.slice(end)).trim();
}

function tooLong(id: string, length: number): BatonError {
  return new BatonError(
    'limit_size',
    `The details of ${id} would be ${length} characters long; ${TASK_LIMITS.detailsLength} are allowed. Nothing was changed.`,
    { id, field: 'details', limit: 'detailsLength', most: TASK_LIMITS.detailsLength },
  );
}
