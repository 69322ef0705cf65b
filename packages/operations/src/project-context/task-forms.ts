import type { Subtask, Task } from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { lastNote, subtaskNotes, withoutNotes } from '../prompt-kit/notes.ts';
import { briefTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import { definedFields } from '../schema/defined-fields.ts';

/**
 * The forms in which a request shows a task that it is not about, from the fullest on: as much as there is room for is
 * taken.
 */

/** What is shown of a task or, under its outside id ("5.2"), of a subtask. */
export type ContextItem = Pick<
  Task | Subtask,
  'title' | 'status' | 'description' | 'details' | 'testStrategy' | 'dependencies'
> & { readonly id: number | string; readonly subtasks?: Task['subtasks'] };

export function fullForm(item: ContextItem): object {
  const { id, title, status, description, details, testStrategy, dependencies } = item;
  return {
    id,
    title: excerpt(title, 200) ?? '',
    status,
    ...definedFields({
      description: excerpt(description, 1_000),
      details: excerpt(withoutNotes(details), 2_000),
      note: lastNote(details, 600),
      subtaskNotes: subtaskNotes(item, 3, 400),
      testStrategy: excerpt(testStrategy, 500),
    }),
    ...(dependencies.length > 0 ? { dependencies: dependencies.slice(0, 20) } : {}),
  };
}

export function mediumForm(item: ContextItem): object {
  const { id, title, status, description, details } = item;
  return {
    id,
    title: excerpt(title, 200) ?? '',
    status,
    ...definedFields({
      description: excerpt(description, 400),
      details: excerpt(withoutNotes(details), 500),
      note: lastNote(details, 300),
      subtaskNotes: subtaskNotes(item, 1, 300),
    }),
  };
}

export function shortForm(item: ContextItem): object {
  const { id, title, status, description, details } = item;
  return {
    id,
    title: excerpt(title, 120) ?? '',
    status,
    ...definedFields({
      description: excerpt(description, 160),
      note: lastNote(details, 200),
      subtaskNotes: subtaskNotes(item, 1, 200),
    }),
  };
}

export function briefForm({ id, title, status }: ContextItem): object {
  return { ...briefTaskExcerpt({ id: 0, title, status }), id };
}
