import type { Task, Subtask } from '../project/index.ts';
import { definedFields } from '../schema/defined-fields.ts';
import { excerpt } from './excerpt.ts';
import { lastNote } from './notes.ts';

/**
 * The parts of a project that requests show: only what the step needs, each text cut. What a program reads is journaled,
 * so this bounds the journal as well.
 */

/** A task in a line of a list: enough to refer to it. */
interface BriefTaskExcerpt {
  readonly id: number;
  readonly title: string;
  readonly status: string;
}

export function briefTaskExcerpt({
  id,
  title,
  status,
}: Pick<Task, 'id' | 'title' | 'status'>): BriefTaskExcerpt {
  return { id, title: excerpt(title, 80) ?? '', status };
}

/** A subtask with what it is about, as work on its task needs it. */
function subtaskExcerpt({ id, title, status, description, details, dependencies }: Subtask) {
  const open = status !== 'done';
  return {
    id,
    title: excerpt(title, 120) ?? '',
    status,
    ...definedFields({ description: excerpt(description, 200) }),
    ...(open ? definedFields({ details: excerpt(details, SUBTASK_DETAILS) }) : {}),
    ...definedFields({ note: open ? noteBeyond(details, SUBTASK_DETAILS) : lastNote(details, NOTE) }),
    ...(dependencies.length > 0 ? { dependencies } : {}),
    ...cutFields(
      { description, details: open ? details : '' },
      { description: 200, details: SUBTASK_DETAILS },
    ),
  };
}

const SUBTASK_DETAILS = 600;
const NOTE = 300;

/** The last note where the details are cut: it stands at their end. */
function noteBeyond(details: string | undefined, length: number): string | undefined {
  return (details?.length ?? 0) > length ? lastNote(details, NOTE) : undefined;
}

const TASK_TEXTS = { description: 2_000, details: 8_000, testStrategy: 2_000 };
/** Of the one task that a request is about. */
const SINGLE_TASK_TEXTS = { description: 4_000, details: 24_000, testStrategy: 4_000 };

/** As `detailedTaskExcerpt`, of the one task that a request is about: a change of its texts needs them whole. */
export function singleTaskExcerpt(task: Task) {
  return detailedTaskExcerpt(task, SINGLE_TASK_TEXTS);
}

/** A task with all that is worked on. Texts longer than anyone works on in one answer are cut, and named. */
export function detailedTaskExcerpt(
  { id, title, description, details, testStrategy, status, ...task }: Task,
  lengths = TASK_TEXTS,
) {
  return {
    id,
    title: excerpt(title, 300) ?? '',
    description: excerpt(description, lengths.description) ?? '',
    ...definedFields({
      details: excerpt(details, lengths.details),
      note: noteBeyond(details, lengths.details),
      testStrategy: excerpt(testStrategy, lengths.testStrategy),
    }),
    status,
    priority: task.priority,
    dependencies: task.dependencies,
    ...(task.subtasks.length > 0 ? { subtasks: task.subtasks.slice(0, 60).map(subtaskExcerpt) } : {}),
    ...cutFields({ description, details, testStrategy }, lengths),
  };
}

/** `cut` names the texts that are shown in part; an answer may not replace them. */
function cutFields<Name extends string>(
  texts: Readonly<Record<Name, string | undefined>>,
  lengths: Readonly<Record<Name, number>>,
): { cut?: Name[] } {
  const names = (Object.keys(lengths) as Name[]).filter((name) => (texts[name]?.length ?? 0) > lengths[name]);
  return names.length > 0 ? { cut: names } : {};
}
