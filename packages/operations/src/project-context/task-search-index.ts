import MiniSearch, { type SearchResult } from 'minisearch';
import type { Task } from '../project/index.ts';

/** What is indexed of a task, in characters. */
const TITLE_LENGTH = 200;
const DESCRIPTION_LENGTH = 200;

interface TaskDocument {
  readonly id: number;
  readonly title: string;
  readonly description: string;
}

/**
 * A full-text index of tasks: whole words, beginnings, and words that are written alike, ranked by BM25. It takes milliseconds to
 * build for some hundreds of tasks, so that it is kept and follows what has changed: a task that has not changed is the same object.
 */
class TaskSearchIndex {
  private readonly index = new MiniSearch<TaskDocument>({
    fields: ['title', 'description'],
    tokenize: wordsOf,
    searchOptions: { boost: { title: 2 } },
  });
  private indexed = new Map<Task, TaskDocument>();

  /** From now on it has these tasks. */
  follow(tasks: readonly Task[]): void {
    const before = this.indexed;
    this.indexed = new Map();
    const added: TaskDocument[] = [];
    for (const task of tasks) {
      const known = before.get(task);
      const document = known ?? documentOf(task);
      if (known === undefined) added.push(document);
      else before.delete(task);
      this.indexed.set(task, document);
    }
    // What is left is gone, or was replaced by a task of the same id.
    for (const document of before.values()) this.index.remove(document);
    this.index.addAll(added);
  }

  /** The tasks that have any of these words, the most similar first, equal ones by id; those in `without` are left out. */
  search(words: readonly string[], without: ReadonlySet<number | string>): SearchResult[] {
    return this.index
      .search(words.join(' '), {
        prefix: (word) => word.length > 3,
        fuzzy: (word) => (word.length > 4 ? 0.2 : false),
        filter: ({ id }) => !without.has(id as number),
      })
      .toSorted((one, other) => other.score - one.score || (one.id as number) - (other.id as number));
  }
}

/** By the first task of a tag: an index lives as long as that is kept in memory, and follows whatever stands behind it. */
const kept = new WeakMap<Task, TaskSearchIndex>();

/** The index of some tasks of the tag that begins with `first`. */
export function searchIndexOf(first: Task, tasks: readonly Task[]): TaskSearchIndex {
  const index = kept.get(first) ?? new TaskSearchIndex();
  kept.set(first, index);
  index.follow(tasks);
  return index;
}

function documentOf({ id, title, description }: Task): TaskDocument {
  return {
    id,
    title: title.slice(0, TITLE_LENGTH),
    description: description.slice(0, DESCRIPTION_LENGTH),
  };
}

/** Scripts that set no blanks between words: pairs of their letters stand for words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

export function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : word.length > 1 ? [word] : []));
}

function pairsOf(word: string): string[] {
  const letters = [...word];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}
