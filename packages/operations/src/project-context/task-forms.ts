import type { Subtask, Task } from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
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
> & { readonly id: number | string };

const NOTE = '<info added on ';
const NOTE_LENGTH = 600;

export function fullForm(item: ContextItem): object {
  const { id, title, status, description, details, testStrategy, dependencies } = item;
  return {
    id,
    title: excerpt(title, 200) ?? '',
    status,
    ...definedFields({
      description: excerpt(description, 1_000),
      details: excerpt(withoutNotes(details), 2_000),
      note: lastNote(details),
      testStrategy: excerpt(testStrategy, 500),
    }),
    ...(dependencies.length > 0 ? { dependencies: dependencies.slice(0, 20) } : {}),
  };
}

export function mediumForm({ id, title, status, description, details }: ContextItem): object {
  return {
    id,
    title: excerpt(title, 200) ?? '',
    status,
    ...definedFields({
      description: excerpt(description, 400),
      details: excerpt(withoutNotes(details), 500),
      note: excerpt(lastNote(details), 300),
    }),
  };
}

export function shortForm({ id, title, status, description }: ContextItem): object {
  return {
    id,
    title: excerpt(title, 120) ?? '',
    status,
    ...definedFields({ description: excerpt(description, 160) }),
  };
}

export function briefForm({ id, title, status }: ContextItem): object {
  return { ...briefTaskExcerpt({ id: 0, title, status }), id };
}

/** Dated notes stand below the details: the last one says best what was done. */
function lastNote(details: string | undefined): string | undefined {
  const at = details?.lastIndexOf(NOTE) ?? -1;
  return at === -1 ? undefined : excerpt(details?.slice(at), NOTE_LENGTH);
}

function withoutNotes(details: string | undefined): string | undefined {
  const at = details?.indexOf(NOTE) ?? -1;
  return at === -1 ? details : details?.slice(0, at).trim();
}
