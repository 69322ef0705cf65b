import type { ProjectTaskUpdate } from '../project/index.ts';

interface ShownSubtask {
  readonly id: number;
  readonly title: string;
  readonly status: string;
}

/**
 * The update with its new subtasks marked: those with a number that the LLM was shown none of, whatever has that number
 * meanwhile, and those with the number of a done one and another title, which an LLM numbered badly. One that is said
 * to be done is no new one.
 */
export function markNewSubtasks(
  update: ProjectTaskUpdate,
  shown: { readonly subtasks?: readonly ShownSubtask[] } | undefined,
): ProjectTaskUpdate {
  if (update.subtasks === undefined) return update;
  const known = new Map(shown?.subtasks?.map((subtask) => [subtask.id, subtask]));
  const subtasks = update.subtasks.map((subtask) => {
    const { id, title, status } = subtask;
    const meant = known.get(id);
    const isAnother =
      meant?.status === 'done' &&
      status !== 'done' &&
      title !== undefined &&
      wordsOf(title) !== wordsOf(meant.title);
    return meant === undefined || isAnother ? { ...subtask, isNew: true } : subtask;
  });
  return { ...update, subtasks };
}

/** Without case, width of characters, and marks. */
function wordsOf(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
