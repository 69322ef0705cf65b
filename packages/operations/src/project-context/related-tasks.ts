import { findTask, isUnread, storedLength, type Task } from '../project/index.ts';
import { searchIndexOf, wordsOf } from './task-search-index.ts';

/**
 * The search for the tasks that are most like what a request is about: full text over titles and the beginnings of descriptions.
 * It is bounded whatever the tag holds, since it takes the event loop; what it finds is recorded with the read, so that a replay
 * never searches.
 */

/** So many tasks are searched at most, and so many characters of stored tasks read for it. */
export const MOST_SEARCHED = 300;
const SEARCHED_LENGTH = 524_288;

/** What is looked for: the words at the beginning of what the request is about. */
const QUERY_LENGTH = 2_000;
const QUERY_WORDS = 24;

/** What shares only common words with it scores less than this part of the most similar one. */
const LEAST_OF_BEST = 0.25;

interface RelatedTasks {
  /** The most similar one first. */
  readonly tasks: readonly Task[];
  readonly searched: number;
}

/**
 * The tasks like `query` that are not in `without`, at most `most`. `about` are those that the request is about: of a large
 * tag those around them are searched.
 */
export function findRelatedTasks(
  tasks: readonly Task[],
  query: string,
  without: ReadonlySet<number | string>,
  about: ReadonlySet<number>,
  most: number,
): RelatedTasks {
  const [first] = tasks;
  if (most === 0 || first === undefined) return { tasks: [], searched: tasks.length };
  const candidates = tasksToSearch(tasks, about);
  // What is not read has no words yet: to look at it has it read, and it is searched then.
  const unread = candidates.filter(isUnread);
  for (const { title, description } of unread) void [title, description];
  if (unread.length > 0) return { tasks: [], searched: candidates.length };
  const words = [...new Set(wordsOf(query.slice(0, QUERY_LENGTH).toLowerCase()))].slice(0, QUERY_WORDS);
  const found = searchIndexOf(first, candidates).search(words, without);
  const best = found[0]?.score ?? 0;
  const similar = found.filter(({ score }) => score >= best * LEAST_OF_BEST);
  return {
    tasks: similar.slice(0, most).flatMap(({ id }) => findTask(tasks, id as number) ?? []),
    searched: candidates.length,
  };
}

/** All tasks of most tags; of a larger one those around what the request is about, and the latest. */
function tasksToSearch(tasks: readonly Task[], about: ReadonlySet<number>): Task[] {
  const half = MOST_SEARCHED / 2;
  const at = about.size === 0 ? -1 : tasks.findIndex(({ id }) => about.has(id));
  const from = at === -1 ? 0 : Math.max(0, at - half / 2);
  const around = at === -1 ? [] : tasks.slice(from, from + half);
  const latest = tasks.slice(-(MOST_SEARCHED - around.length));
  const chosen: Task[] = [];
  let length = 0;
  // The latest first, so that the bound leaves out what is farthest.
  for (const task of new Set([...around, ...latest.toReversed()])) {
    length += storedLength(task);
    if (length > SEARCHED_LENGTH) break;
    chosen.push(task);
  }
  return chosen;
}
