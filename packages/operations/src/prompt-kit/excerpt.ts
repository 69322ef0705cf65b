import { truncate } from '@baton/protocol';
import type { Project, Subtask, Task } from '../project/index.ts';
import { delimitJsonLines } from './delimiters.ts';
import { definedFields } from '../schema/defined-fields.ts';

/**
 * The parts of a project that requests show: only what the step needs, each text cut. What a program reads is journaled,
 * so this bounds the journal as well.
 */

/** The beginning of a text with an ellipsis when it is cut; undefined for an empty text. */
export function excerpt(text: string | undefined, length: number): string | undefined {
  if (text === undefined || text === '') return undefined;
  return text.length <= length ? text : `${truncate(text, length)}…`;
}

/** A task in a line of a list: enough to refer to it. */
export interface TaskLine {
  readonly id: number;
  readonly title: string;
  readonly status: string;
}

export function taskLine({ id, title, status }: Pick<Task, 'id' | 'title' | 'status'>): TaskLine {
  return { id, title: excerpt(title, 80) ?? '', status };
}

/** A subtask with what it is about, as work on its task needs it. */
export function subtaskExcerpt({ id, title, status, description, details, dependencies }: Subtask) {
  const open = status !== 'done';
  return {
    id,
    title: excerpt(title, 120) ?? '',
    status,
    ...definedFields({ description: excerpt(description, 200) }),
    ...(open ? definedFields({ details: excerpt(details, SUBTASK_DETAILS) }) : {}),
    ...(dependencies.length > 0 ? { dependencies } : {}),
    ...cutFields(
      { description, details: open ? details : '' },
      { description: 200, details: SUBTASK_DETAILS },
    ),
  };
}

const SUBTASK_DETAILS = 600;
const TASK_TEXTS = { description: 2_000, details: 8_000, testStrategy: 2_000 };

/** A task with all that is worked on. Texts longer than anyone works on in one answer are cut, and named. */
export function detailedTaskExcerpt({
  id,
  title,
  description,
  details,
  testStrategy,
  status,
  ...task
}: Task) {
  return {
    id,
    title: excerpt(title, 300) ?? '',
    description: excerpt(description, TASK_TEXTS.description) ?? '',
    ...definedFields({
      details: excerpt(details, TASK_TEXTS.details),
      testStrategy: excerpt(testStrategy, TASK_TEXTS.testStrategy),
    }),
    status,
    priority: task.priority,
    dependencies: task.dependencies,
    ...(task.subtasks.length > 0 ? { subtasks: task.subtasks.slice(0, 60).map(subtaskExcerpt) } : {}),
    ...cutFields({ description, details, testStrategy }, TASK_TEXTS),
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

const MOST_RULES = 6_000;

/** The project's rules as far as a request has room for them; undefined when there are none. */
export function rulesExcerpt(project: Pick<Project, 'rules'> | undefined): string | undefined {
  return excerpt(project?.rules.join('\n'), MOST_RULES);
}

/** The rules as a part of a request. They come from the project's owner, and yet they are data. */
export function rulesSection(rules: string | null | undefined): string | undefined {
  if (!rules) return undefined;
  return `The project keeps to these rules; let your answer keep to them too:\n${delimitJsonLines('project-rules', [rules])}`;
}

/**
 * Items in batches of at most `most`, each of at most `length` characters as JSON unless one item alone is longer: what
 * one request can hold and one answer can return.
 */
export function splitIntoBatches<T>(items: readonly T[], most: number, length: number): T[][] {
  const batches: T[][] = [];
  let left = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= most || size > left) {
      batches.push([item]);
      left = length - size;
    } else {
      batch.push(item);
      left -= size;
    }
  }
  return batches;
}
