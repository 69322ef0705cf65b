import type { Subtask } from '../project/index.ts';
import { excerpt } from './excerpt.ts';

/** Dated notes stand below the details of a task or a subtask: they say what was done, and what was found out. */

const NOTE = '<info added on ';

export function lastNote(details: string | undefined, length: number): string | undefined {
  const at = details?.lastIndexOf(NOTE) ?? -1;
  return at === -1 ? undefined : excerpt(details?.slice(at), length);
}

export function withoutNotes(details: string | undefined): string | undefined {
  const at = details?.indexOf(NOTE) ?? -1;
  return at === -1 ? details : details?.slice(0, at).trim();
}

interface SubtaskNote {
  readonly id: number;
  readonly note: string;
}

/** The last notes of the subtasks, the newest at the end: at most `most` of them; undefined where there are none. */
export function subtaskNotes(
  { subtasks = [] }: { readonly subtasks?: readonly Pick<Subtask, 'id' | 'details'>[] },
  most: number,
  length: number,
): SubtaskNote[] | undefined {
  const notes = subtasks.flatMap(({ id, details }): SubtaskNote[] => {
    const note = lastNote(details, length);
    return note === undefined ? [] : [{ id, note }];
  });
  // Each begins with its date, as ISO 8601 has it.
  const latest = notes.toSorted((a, b) => (a.note < b.note ? -1 : 1)).slice(-most);
  return latest.length === 0 ? undefined : latest;
}
