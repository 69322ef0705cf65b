import MiniSearch from 'minisearch';
import { isUnread, storedLength, type Task } from '../project/index.ts';

/**
 * The search for the tasks that are most like what a request is about: full text (whole words, beginnings, and words that are written alike), ranked by BM25, over titles and the
 * beginnings of descriptions. It is bounded whatever the tag holds, since it takes the event loop; what it finds is recorded
 * with the read, so that a replay never searches.
 */

/** So many tasks are searched at most, and so many characters of stored tasks read for it. */
export const MOST_SEARCHED = 300;
const SEARCHED_LENGTH = 524_288;

/** What is indexed of a task, in characters. */
const TITLE_LENGTH = 200;
const DESCRIPTION_LENGTH = 200;

/** What is looked for: the words at the beginning of what the request is about. */
const QUERY_LENGTH = 2_000;
const QUERY_WORDS = 24;

/** What shares only common words with it scores less than this part of the most similar one. */
const LEAST_OF_BEST = 0.25;

export interface RelatedTasks {
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
  if (most === 0) return { tasks: [], searched: tasks.length };
  const candidates = tasksToSearch(tasks, about);
  const documents = candidates.map(({ id, title, description }) => ({
    id,
    title: title.slice(0, TITLE_LENGTH),
    description: description.slice(0, DESCRIPTION_LENGTH),
  }));
  // What is not read has no words yet: it is searched once it was read.
  if (candidates.some(isUnread)) return { tasks: [], searched: candidates.length };
  const index = new MiniSearch({
    fields: ['title', 'description'],
    tokenize: wordsOf,
    searchOptions: { boost: { title: 2 } },
  });
  index.addAll(documents);
  const words = [...new Set(wordsOf(query.slice(0, QUERY_LENGTH).toLowerCase()))].slice(0, QUERY_WORDS);
  const byId = new Map(candidates.map((task) => [task.id, task]));
  const found = index
    .search(words.join(' '), {
      prefix: (word) => word.length > 3,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      filter: ({ id }) => !without.has(id as number),
    })
    // Equal scores stand in the order of their ids, whatever the library does with them.
    .toSorted((one, other) => other.score - one.score || (one.id as number) - (other.id as number));
  const best = found[0]?.score ?? 0;
  const similar = found.filter(({ score }) => score >= best * LEAST_OF_BEST);
  return {
    tasks: similar.slice(0, most).flatMap(({ id }) => byId.get(id as number) ?? []),
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

/** Scripts that set no blanks between words: pairs of their letters stand for words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : word.length > 1 ? [word] : []));
}

function pairsOf(word: string): string[] {
  const letters = [...word];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}
