import type { Task } from '../project/index.ts';

const WORDS = ['parse', 'store', 'draw', 'lend', 'measure', 'reader', 'screen', 'book', 'speed', 'letter'];

const titleOf = (at: number) =>
  Array.from({ length: 10 }, (_, word) => `${WORDS[(at * 7 + word * 3) % 10]}${(at * word) % 97}`).join(' ');

/** Tasks with words to search, and the ids of those whose title was read. */
export function searchableTasks(count: number) {
  const read = new Set<number>();
  const tasks = Array.from({ length: count }, (_, at) => {
    const task = {
      id: at + 1,
      status: 'pending',
      dependencies: [],
      subtasks: [],
      description: titleOf(at + 5).repeat(4),
    };
    return Object.defineProperty(task, 'title', {
      enumerable: true,
      get: () => {
        read.add(at + 1);
        return titleOf(at);
      },
    });
  }) as never as readonly Task[];
  return { tasks, titleOf, read };
}
